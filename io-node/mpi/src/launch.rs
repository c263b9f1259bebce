//! Whether a launcher such as `mpirun` started this process.
//!
//! Read from the environment only: a program that was started on its own must
//! never initialise MPI, which takes a second and may start a daemon.

/// The place of this process among those that were started together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launched {
    /// The number of this process, from 0.
    pub rank: usize,
    /// How many there are.
    pub size: usize,
}

/// Pairs of variables for rank and size, and who sets them.
///
/// A batch script of SLURM has `SLURM_PROCID` and `SLURM_NTASKS` itself, although
/// it is no rank. So the rank must come from what connects ranks (PMI or PMIx);
/// only for the size SLURM's own variables are believed.
const VARIABLES: [(&str, &str); 6] = [
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), // OpenMPI
    ("PMI_RANK", "PMI_SIZE"),                         // MPICH, Intel MPI, srun --mpi=pmi2
    ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"),   // MVAPICH2
    ("PMIX_RANK", "PMIX_SIZE"),                       // launchers that name both
    ("PMIX_RANK", "SLURM_STEP_NUM_TASKS"),            // srun --mpi=pmix
    ("PMIX_RANK", "SLURM_NTASKS"),                    // the same, older
];

/// The rank that a launcher gave to this process; `None` if it was started on its
/// own. Does not call MPI.
#[must_use]
pub fn rank_of_environment() -> Option<Launched> {
    rank_of(|name| std::env::var(name).ok())
}

/// The same for the variables that `read` knows.
fn rank_of(read: impl Fn(&str) -> Option<String>) -> Option<Launched> {
    let number = |name: &str| read(name)?.trim().parse::<usize>().ok();
    VARIABLES
        .iter()
        .filter_map(|(rank, size)| Some(Launched { rank: number(rank)?, size: number(size)? }))
        .find(|launched| launched.rank < launched.size)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Option<Launched> {
        rank_of(|name| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn a_program_started_on_its_own_is_no_rank() {
        assert_eq!(of(&[("HOME", "/home/bee")]), None);
    }

    #[test]
    fn openmpi_and_mpich_tell_rank_and_size() {
        let expected = Some(Launched { rank: 3, size: 18 });
        assert_eq!(of(&[("OMPI_COMM_WORLD_RANK", "3"), ("OMPI_COMM_WORLD_SIZE", "18")]), expected);
        assert_eq!(of(&[("PMI_RANK", "3"), ("PMI_SIZE", "18")]), expected);
    }

    #[test]
    fn a_batch_script_of_slurm_is_no_rank_but_a_step_with_pmix_is() {
        let script = [("SLURM_PROCID", "0"), ("SLURM_NTASKS", "18")];
        assert_eq!(of(&script), None);
        let step = [("PMIX_RANK", "17"), ("SLURM_NTASKS", "18"), ("SLURM_PROCID", "17")];
        assert_eq!(of(&step), Some(Launched { rank: 17, size: 18 }));
    }

    #[test]
    fn nonsense_in_the_variables_is_no_rank() {
        assert_eq!(of(&[("PMI_RANK", "three"), ("PMI_SIZE", "18")]), None);
        assert_eq!(of(&[("PMI_RANK", "18"), ("PMI_SIZE", "18")]), None);
    }
}
