//! Instructions → bytes.
//!
//! The code is a function with two arguments, the slots in `rdi` and the frame
//! in `rsi`. Displacements are counted from the middle of the first slots, so
//! that more of them fit in a byte.

use iced_x86::{Code, Encoder, IcedError, Instruction as Encoded, MemoryOperand, Register as Name};

use crate::machine::{Instruction, Memory, Operand, Register};
use crate::polarity::Operation;
use crate::target::{Kind, Target};

/// General registers that hold words of 64 lanes. `r15` counts rounds.
pub(crate) const GENERAL: [Name; 12] = [
    Name::RAX,
    Name::RCX,
    Name::RDX,
    Name::RBX,
    Name::RBP,
    Name::R8,
    Name::R9,
    Name::R10,
    Name::R11,
    Name::R12,
    Name::R13,
    Name::R14,
];

/// General registers that belong to the caller.
const SAVED: [Name; 6] = [Name::RBX, Name::RBP, Name::R12, Name::R13, Name::R14, Name::R15];

/// The vector register with ones in all lanes.
const ONES: u32 = 15;

/// The middle of what a displacement of one byte reaches.
const BIAS: i64 = 128;

/// A jump whose target is not known yet.
#[derive(Debug)]
pub(crate) struct Jump(usize);

/// Writes the bytes of functions.
pub(crate) struct Emitter {
    target: Target,
    encoder: Encoder,
    length: usize,
    /// Where the code starts that runs for each part of the words.
    part_start: usize,
}

impl Emitter {
    pub(crate) fn new(target: Target) -> Self {
        Self { target, encoder: Encoder::new(64), length: 0, part_start: 0 }
    }

    /// Bytes so far.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// All the bytes.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.encoder.take_buffer()
    }

    fn encode(&mut self, instruction: Result<Encoded, IcedError>) -> Result<(), IcedError> {
        self.length += self.encoder.encode(&instruction?, self.length as u64)?;
        Ok(())
    }

    fn is_scalar(&self) -> bool {
        matches!(self.target.kind, Kind::Scalar { .. })
    }

    /// The start of a function.
    pub(crate) fn enter(&mut self) -> Result<(), IcedError> {
        for base in [Name::RDI, Name::RSI] {
            self.encode(Encoded::with2(Code::Sub_rm64_imm8, base, -(BIAS as i32)))?;
        }
        if self.is_scalar() {
            return SAVED
                .iter()
                .try_for_each(|&name| self.encode(Encoded::with1(Code::Push_r64, name)));
        }
        let ones = self.vector(ONES);
        let code =
            self.choose(Code::VEX_Vpcmpeqd_xmm_xmm_xmmm128, Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256);
        self.encode(Encoded::with3(code, ones, ones, ones))
    }

    /// The end of a function.
    pub(crate) fn leave(&mut self) -> Result<(), IcedError> {
        if self.is_scalar() {
            for &name in SAVED.iter().rev() {
                self.encode(Encoded::with1(Code::Pop_r64, name))?;
            }
        } else {
            self.encode(Ok(Encoded::with(Code::VEX_Vzeroupper)))?;
        }
        self.encode(Ok(Encoded::with(Code::Retnq)))
    }

    /// Starts to count rounds.
    pub(crate) fn count_rounds(&mut self, most: u32) -> Result<(), IcedError> {
        let counter = self.counter();
        self.encode(Encoded::with2(Code::Mov_r32_imm32, counter, most))
    }

    fn counter(&self) -> Name {
        if self.is_scalar() { Name::R15D } else { Name::EAX }
    }

    /// Counts a round down and goes back to `start` unless it was the last.
    pub(crate) fn repeat(&mut self, start: usize) -> Result<(), IcedError> {
        let counter = self.counter();
        self.encode(Encoded::with1(Code::Dec_rm32, counter))?;
        self.encode(Encoded::with_branch(Code::Jne_rel32_64, start as u64))
    }

    /// Goes elsewhere if the word that was tested is zero.
    pub(crate) fn jump_if_zero(&mut self) -> Result<Jump, IcedError> {
        self.encode(Encoded::with_branch(Code::Je_rel32_64, self.length as u64))?;
        Ok(Jump(self.length))
    }

    /// Lets a jump lead here.
    pub(crate) fn land(&mut self, jump: Jump) {
        let distance = (self.length - jump.0) as u32;
        let mut bytes = self.encoder.take_buffer();
        bytes[jump.0 - 4..jump.0].copy_from_slice(&distance.to_le_bytes());
        self.encoder.set_buffer(bytes);
    }

    /// Starts a stretch of code that runs for each part of a word.
    pub(crate) fn start_parts(&mut self) -> Result<(), IcedError> {
        if self.target.parts > 1 {
            self.encode(Encoded::with2(Code::Mov_r32_imm32, Name::ECX, self.target.parts))?;
        }
        self.part_start = self.length;
        Ok(())
    }

    /// Ends what [`start_parts`](Self::start_parts) began.
    pub(crate) fn end_parts(&mut self) -> Result<(), IcedError> {
        if self.target.parts == 1 {
            return Ok(());
        }
        self.advance(self.target.register_bytes() as i32)?;
        self.encode(Encoded::with1(Code::Dec_rm32, Name::ECX))?;
        self.encode(Encoded::with_branch(Code::Jne_rel32_64, self.part_start as u64))?;
        self.advance(-(self.target.stride as i32))
    }

    fn advance(&mut self, bytes: i32) -> Result<(), IcedError> {
        for base in [Name::RDI, Name::RSI] {
            self.encode(Encoded::with2(Code::Add_rm64_imm8, base, bytes))?;
        }
        Ok(())
    }

    /// Writes one instruction.
    pub(crate) fn instruction(&mut self, instruction: Instruction) -> Result<(), IcedError> {
        if instruction == Instruction::Boundary {
            self.end_parts()?;
            return self.start_parts();
        }
        if self.is_scalar() { self.scalar(instruction) } else { self.vector_op(instruction) }
    }

    fn memory(&self, memory: Memory) -> MemoryOperand {
        let (base, place) = match memory {
            Memory::Slot(slot) => (Name::RDI, slot),
            Memory::Frame(word) => (Name::RSI, word),
        };
        let displacement = i64::from(place) * i64::from(self.target.stride) - BIAS;
        MemoryOperand::with_base_displ(base, displacement)
    }
}

/// Vectors.
impl Emitter {
    fn choose(&self, narrow: Code, wide: Code) -> Code {
        if self.target.kind == Kind::Vector128 { narrow } else { wide }
    }

    fn vector(&self, number: u32) -> Name {
        self.base_vector() + number
    }

    fn base_vector(&self) -> Name {
        if self.target.kind == Kind::Vector128 { Name::XMM0 } else { Name::YMM0 }
    }

    fn vector_op(&mut self, instruction: Instruction) -> Result<(), IcedError> {
        let name = |register: Register| self.vector(u32::from(register));
        let encoded = match instruction {
            Instruction::Load { to, from } => {
                let code =
                    self.choose(Code::VEX_Vmovups_xmm_xmmm128, Code::VEX_Vmovups_ymm_ymmm256);
                Encoded::with2(code, name(to), self.memory(from))
            }
            Instruction::Store { to, from } => {
                let code =
                    self.choose(Code::VEX_Vmovups_xmmm128_xmm, Code::VEX_Vmovups_ymmm256_ymm);
                Encoded::with2(code, self.memory(to), name(from))
            }
            Instruction::Not { to, from } => Encoded::with3(
                self.vector_code(Operation::Xor),
                name(to),
                self.vector(ONES),
                name(from),
            ),
            Instruction::Zero { to } => {
                Encoded::with3(self.vector_code(Operation::Xor), name(to), name(to), name(to))
            }
            Instruction::Test { word } => {
                let code = self.choose(Code::VEX_Vptest_xmm_xmmm128, Code::VEX_Vptest_ymm_ymmm256);
                Encoded::with2(code, name(word), name(word))
            }
            Instruction::Binary { operation, to, left, right } => {
                self.vector_binary(operation, to, left, right)
            }
            Instruction::Boundary => return Ok(()),
        };
        self.encode(encoded)
    }

    fn vector_binary(
        &self,
        operation: Operation,
        to: Register,
        left: Register,
        right: Operand,
    ) -> Result<Encoded, IcedError> {
        let name = |register: Register| self.vector(u32::from(register));
        let code = self.vector_code(operation);
        match right {
            Operand::Memory(memory) => {
                Encoded::with3(code, name(to), name(left), self.memory(memory))
            }
            Operand::Register(right) => {
                // The last operand of a short instruction is a low register.
                let swap = operation != Operation::NotAnd && right > left;
                let (left, right) = if swap { (right, left) } else { (left, right) };
                Encoded::with3(code, name(to), name(left), name(right))
            }
        }
    }

    fn vector_code(&self, operation: Operation) -> Code {
        let (narrow, wide) = match operation {
            Operation::And => (Code::VEX_Vpand_xmm_xmm_xmmm128, Code::VEX_Vpand_ymm_ymm_ymmm256),
            Operation::Or => (Code::VEX_Vpor_xmm_xmm_xmmm128, Code::VEX_Vpor_ymm_ymm_ymmm256),
            Operation::Xor => (Code::VEX_Vpxor_xmm_xmm_xmmm128, Code::VEX_Vpxor_ymm_ymm_ymmm256),
            Operation::NotAnd => {
                (Code::VEX_Vpandn_xmm_xmm_xmmm128, Code::VEX_Vpandn_ymm_ymm_ymmm256)
            }
        };
        self.choose(narrow, wide)
    }
}

/// General registers.
impl Emitter {
    fn scalar(&mut self, instruction: Instruction) -> Result<(), IcedError> {
        let name = |register: Register| GENERAL[usize::from(register)];
        match instruction {
            Instruction::Load { to, from } => {
                let from = self.memory(from);
                self.encode(Encoded::with2(Code::Mov_r64_rm64, name(to), from))
            }
            Instruction::Store { to, from } => {
                let to = self.memory(to);
                self.encode(Encoded::with2(Code::Mov_rm64_r64, to, name(from)))
            }
            Instruction::Not { to, from } => {
                self.scalar_move(to, from)?;
                self.encode(Encoded::with1(Code::Not_rm64, name(to)))
            }
            Instruction::Zero { to } => {
                self.encode(Encoded::with2(Code::Xor_r64_rm64, name(to), name(to)))
            }
            Instruction::Test { word } => {
                self.encode(Encoded::with2(Code::Test_rm64_r64, name(word), name(word)))
            }
            Instruction::Binary { operation: Operation::NotAnd, to, left, right } => {
                self.scalar_not_and(to, left, right)
            }
            Instruction::Binary { operation, to, left, right } => {
                self.scalar_binary(operation, to, left, right)
            }
            Instruction::Boundary => Ok(()),
        }
    }

    fn scalar_move(&mut self, to: Register, from: Register) -> Result<(), IcedError> {
        if to == from {
            return Ok(());
        }
        let [to, from] = [to, from].map(|register| GENERAL[usize::from(register)]);
        self.encode(Encoded::with2(Code::Mov_r64_rm64, to, from))
    }

    /// `to = to op right`
    fn scalar_into(&mut self, code: Code, to: Register, right: Operand) -> Result<(), IcedError> {
        let to = GENERAL[usize::from(to)];
        let encoded = match right {
            Operand::Register(right) => Encoded::with2(code, to, GENERAL[usize::from(right)]),
            Operand::Memory(memory) => Encoded::with2(code, to, self.memory(memory)),
        };
        self.encode(encoded)
    }

    fn scalar_binary(
        &mut self,
        operation: Operation,
        to: Register,
        left: Register,
        right: Operand,
    ) -> Result<(), IcedError> {
        let code = match operation {
            Operation::And | Operation::NotAnd => Code::And_r64_rm64,
            Operation::Or => Code::Or_r64_rm64,
            Operation::Xor => Code::Xor_r64_rm64,
        };
        if right == Operand::Register(to) {
            return self.scalar_into(code, to, Operand::Register(left));
        }
        self.scalar_move(to, left)?;
        self.scalar_into(code, to, right)
    }

    fn scalar_not_and(
        &mut self,
        to: Register,
        left: Register,
        right: Operand,
    ) -> Result<(), IcedError> {
        let [to_name, left_name] = [to, left].map(|register| GENERAL[usize::from(register)]);
        let has_andn = self.target.kind == Kind::Scalar { has_andn: true };
        match right {
            Operand::Register(right) if has_andn => {
                let right = GENERAL[usize::from(right)];
                let code = Code::VEX_Andn_r64_r64_rm64;
                self.encode(Encoded::with3(code, to_name, left_name, right))
            }
            Operand::Memory(memory) if has_andn => {
                let memory = self.memory(memory);
                let code = Code::VEX_Andn_r64_r64_rm64;
                self.encode(Encoded::with3(code, to_name, left_name, memory))
            }
            // `!left & to` is `!(left | !to)`: the target is not free for `!left`.
            Operand::Register(right) if right == to => {
                self.encode(Encoded::with1(Code::Not_rm64, to_name))?;
                self.scalar_into(Code::Or_r64_rm64, to, Operand::Register(left))?;
                self.encode(Encoded::with1(Code::Not_rm64, to_name))
            }
            _ => {
                self.scalar_move(to, left)?;
                self.encode(Encoded::with1(Code::Not_rm64, to_name))?;
                self.scalar_into(Code::And_r64_rm64, to, right)
            }
        }
    }
}
