/* Counts the instructions of each hart: all of them, and those between the marks that
 * the kernel sets where a core begins and ends to play.
 *
 *   qemu-system-riscv64 ... -plugin harts.so,out=FILE
 *
 * A mark is an instruction that no machine does anything for: `slti x0, x0, N` with
 * N = 1 to begin and 2 to end. When the emulator ends, FILE gets a line for each hart
 * that did anything: its number, all instructions, those of playing, and how often it
 * began to.
 *
 * Many systems install the emulator without the header of its plugins, so that the few
 * functions are declared here, as of version 1 of that interface. */
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, void (*)(plugin_id, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *, void (*)(unsigned, void *), int, void *);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *, void (*)(unsigned, void *), int, void *);
void qemu_plugin_register_atexit_cb(plugin_id, void (*)(plugin_id, void *), void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *);

#define EXPORT __attribute__((visibility("default")))
EXPORT int qemu_plugin_version = 1;

enum { MOST_HARTS = 64, NO_REGISTERS = 0, BEGIN = 1, END = 2 };

/* Apart from each other, since the harts run on different processors. */
static struct hart {
    uint64_t all, began_at, playing, rounds;
} __attribute__((aligned(128))) harts[MOST_HARTS];

static char out[4096];

static void on_block(unsigned hart, void *length) {
    if (hart < MOST_HARTS)
        harts[hart].all += (uintptr_t)length;
}

/* A block is counted as a whole when it begins: `behind` of its instructions come
 * after the mark and have not been executed yet. */
static void on_begin(unsigned hart, void *behind) {
    if (hart < MOST_HARTS) {
        harts[hart].began_at = harts[hart].all - (uintptr_t)behind;
        harts[hart].rounds++;
    }
}

static void on_end(unsigned hart, void *behind) {
    if (hart < MOST_HARTS)
        harts[hart].playing += harts[hart].all - (uintptr_t)behind - harts[hart].began_at;
}

/* The number of the mark that an instruction is, or 0. */
static unsigned mark_of(const struct qemu_plugin_insn *instruction) {
    uint32_t word;
    if (qemu_plugin_insn_size(instruction) != sizeof word)
        return 0;
    memcpy(&word, qemu_plugin_insn_data(instruction), sizeof word);
    return (word & 0xFFFFF) == 0x02013 ? word >> 20 : 0;
}

static void on_translation(plugin_id id, struct qemu_plugin_tb *block) {
    (void)id;
    size_t length = qemu_plugin_tb_n_insns(block);
    qemu_plugin_register_vcpu_tb_exec_cb(block, on_block, NO_REGISTERS, (void *)length);
    for (size_t place = 0; place < length; place++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, place);
        void *behind = (void *)(length - 1 - place);
        unsigned mark = mark_of(instruction);
        if (mark == BEGIN)
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_begin, NO_REGISTERS, behind);
        else if (mark == END)
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_end, NO_REGISTERS, behind);
    }
}

static void on_exit_of_emulator(plugin_id id, void *unused) {
    (void)id, (void)unused;
    FILE *file = out[0] ? fopen(out, "w") : stderr;
    if (!file)
        return;
    for (unsigned hart = 0; hart < MOST_HARTS; hart++)
        if (harts[hart].all)
            fprintf(file, "%u %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", hart, harts[hart].all,
                    harts[hart].playing, harts[hart].rounds);
    if (file != stderr)
        fclose(file);
}

EXPORT int qemu_plugin_install(plugin_id id, const void *info, int count, char **arguments) {
    (void)info;
    for (int argument = 0; argument < count; argument++)
        if (!strncmp(arguments[argument], "out=", 4))
            snprintf(out, sizeof out, "%s", arguments[argument] + 4);
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    qemu_plugin_register_atexit_cb(id, on_exit_of_emulator, NULL);
    return 0;
}
