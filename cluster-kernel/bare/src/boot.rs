//! From reset to the first line of Rust, and what each core may touch.
//!
//! All harts start at `_start`. Hart 0, the system core, clears the static data and
//! then opens a gate; the others sleep before it until they are rung up. Each hart
//! paints its stack and locks its memory protection before it runs any Rust.

use core::arch::global_asm;

use ruche_shared::budget::{STACK_BYTES, SYSTEM_STACK_BYTES, TOTAL_BYTES};

use crate::devices::{CLINT, NEVER, PMP_DEVICES, set_timer};
use crate::harts::HARTS;
use crate::memory::{PAINT, STACKS};

/// Where the memory begins, as the linker script says.
pub const START: u64 = 0x8000_0000;

/// Rights of a protection entry that nobody can change before the next reset.
const LOCKED: u64 = 1 << 7;
const READ: u64 = 1;
const WRITE: u64 = 2;
const EXECUTE: u64 = 4;
/// From the end of the entry before it to its own.
const UP_TO: u64 = 1 << 3;
/// A block whose size is a power of two.
const BLOCK: u64 = 3 << 3;

/// Entries 0 to 7. The first that matches counts: code runs and is not written,
/// constants are read, the rest of the memory is not run.
const PROTECTION: u64 = (LOCKED | READ | EXECUTE | UP_TO) << 8
    | (LOCKED | READ | UP_TO) << 16
    | (LOCKED | READ | WRITE | UP_TO) << 24
    | (LOCKED | READ | WRITE | BLOCK) << 32
    | (LOCKED | READ | WRITE | BLOCK) << 40
    | (LOCKED | READ | WRITE | BLOCK) << 48
    | (LOCKED | READ | WRITE | BLOCK) << 56;
/// Entry 8 is over everything and allows nothing.
const REST: u64 = LOCKED | BLOCK;

const _: () = assert!(SYSTEM_STACK_BYTES.is_multiple_of(16) && STACK_BYTES.is_power_of_two());

unsafe extern "C" {
    /// What the program's system core does.
    safe fn run_system_core() -> !;
}

/// All cores come here from the start-up code.
extern "C" fn enter(hart: usize) -> ! {
    set_timer(hart, NEVER);
    match hart.checked_sub(1) {
        None => run_system_core(),
        // SAFETY: each hart comes here once, from reset.
        Some(core) => unsafe { crate::machine::run_core(core) },
    }
}

global_asm!(
    r#"
    .section .text.start, "ax"
    .globl _start
_start:
    csrw  mie, zero
    csrr  s0, mhartid
    li    t0, {harts}
    bgeu  s0, t0, .Lpark
    .option push
    .option norelax
    la    gp, __global_pointer$
    .option pop
    la    t0, .Ltrap
    csrw  mtvec, t0

    # Memory protection: code, constants, data; four devices; nothing else.
    li    t0, {start} >> 2
    csrw  pmpaddr0, t0
    la    t0, __text_end
    srli  t0, t0, 2
    csrw  pmpaddr1, t0
    la    t0, __rodata_end
    srli  t0, t0, 2
    csrw  pmpaddr2, t0
    li    t0, {end} >> 2
    csrw  pmpaddr3, t0
    li    t0, {device0}
    csrw  pmpaddr4, t0
    li    t0, {device1}
    csrw  pmpaddr5, t0
    li    t0, {device2}
    csrw  pmpaddr6, t0
    li    t0, {device3}
    csrw  pmpaddr7, t0
    li    t0, -1
    csrw  pmpaddr8, t0
    li    t0, {protection}
    csrw  pmpcfg0, t0
    li    t0, {rest}            # last, or this code would stop here
    csrw  pmpcfg2, t0

    # From the end of its stack on, a hart paints all of it.
    call  .Lset_stack
    la    t1, {stacks}
    beqz  s0, 1f
    li    t2, 1 << {stack_shift}
    sub   t1, sp, t2
1:  li    t0, {paint}
2:  sd    t0, 0(t1)
    addi  t1, t1, 8
    bltu  t1, sp, 2b
    bnez  s0, 5f

    # The system core clears the static data, opens the gate and rings all others.
    la    t0, __bss_start
    la    t1, __bss_end
3:  bgeu  t0, t1, 4f
    sd    zero, 0(t0)
    addi  t0, t0, 8
    j     3b
4:  la    t0, .Lgate
    li    t1, 1
    fence rw, w
    sw    t1, 0(t0)
    fence rw, rw
    li    t0, {clint}
    li    t2, {harts} - 1
6:  addi  t0, t0, 4
    sw    t1, 0(t0)
    addi  t2, t2, -1
    bnez  t2, 6b
    j     8f

    # The others sleep; being rung is only a hint, what counts is the gate.
5:  li    t0, 8
    csrw  mie, t0
    li    t1, {clint}
    slli  t2, s0, 2
    add   t1, t1, t2
    la    t2, .Lgate
7:  lw    t3, 0(t2)
    bnez  t3, 8f
    wfi
    sw    zero, 0(t1)
    fence iorw, iorw
    j     7b
8:  fence r, rw
    mv    a0, s0
    call  {enter}

.Lpark:
    wfi
    j     .Lpark

    # Stacks of equal size lie behind the system core's.
.Lset_stack:
    la    sp, {stacks}
    li    t0, {system_stack}
    add   sp, sp, t0
    csrr  t0, mhartid
    slli  t0, t0, {stack_shift}
    add   sp, sp, t0
    ret

    # Nobody returns from a trap, and the stack may be why it came: it starts anew.
    .align 4
.Ltrap:
    call  .Lset_stack
    csrr  a0, mcause
    csrr  a1, mepc
    csrr  a2, mtval
    call  {trap}
    j     .Lpark

    .section .data
    .align 3
.Lgate:
    .dword 0
"#,
    start = const START,
    end = const START + TOTAL_BYTES,
    harts = const HARTS,
    clint = const CLINT,
    device0 = const PMP_DEVICES[0],
    device1 = const PMP_DEVICES[1],
    device2 = const PMP_DEVICES[2],
    device3 = const PMP_DEVICES[3],
    rest = const REST,
    protection = const PROTECTION,
    stacks = sym STACKS,
    system_stack = const SYSTEM_STACK_BYTES,
    stack_shift = const STACK_BYTES.trailing_zeros(),
    paint = const PAINT,
    enter = sym enter,
    trap = sym crate::failure::trap,
);
