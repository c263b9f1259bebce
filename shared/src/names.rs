//! What people call things: one place for each kind of thing, so that command line,
//! plans, reports and frames cannot disagree.

use core::fmt;

/// One of a few things that people choose among by name.
///
/// [`named!`](crate::named) gives such a type `Display` and `FromStr`, and `serde` its
/// names.
pub trait Named: Copy + PartialEq + 'static {
    /// What kind of thing this is, such as `strategy`.
    const KIND: &'static str;
    /// All of them, in the order in which they are listed.
    const ALL: &'static [Self];

    /// What it is called.
    fn name(self) -> &'static str;

    /// What it is, in a few words.
    fn about(self) -> &'static str;

    /// The one with this name.
    ///
    /// # Errors
    /// If there is none; the error tells all names.
    fn of_name(name: &str) -> Result<Self, UnknownName> {
        let found = Self::ALL.iter().copied().find(|one| one.name() == name);
        found.ok_or(UnknownName { kind: Self::KIND, list: list::<Self> })
    }
}

/// Nothing has this name.
#[derive(Clone, Copy)]
pub struct UnknownName {
    kind: &'static str,
    /// Writes all names: without an allocator they cannot be collected.
    list: fn(&mut fmt::Formatter<'_>) -> fmt::Result,
}

fn list<T: Named>(formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (index, one) in T::ALL.iter().enumerate() {
        write!(formatter, "{}{}", if index == 0 { "" } else { ", " }, one.name())?;
    }
    Ok(())
}

impl fmt::Display for UnknownName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "there is no {} of this name; possible: ", self.kind)?;
        (self.list)(formatter)
    }
}

impl fmt::Debug for UnknownName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl core::error::Error for UnknownName {}

/// Defines an enum whose values have names, and perhaps a default, or gives a [`Named`] type what follows from
/// its names: `Display`, `FromStr`, and `serde` by name.
#[macro_export]
macro_rules! named {
    (
        $(#[$meta:meta])*
        $visibility:vis enum $Name:ident: $kind:literal $(= $Default:ident)? {
            $($(#[doc = $about:literal])+ $Variant:ident = $name:literal,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $visibility enum $Name {
            $($(#[doc = $about])+ $Variant,)+
        }

        impl $crate::names::Named for $Name {
            const KIND: &'static str = $kind;
            const ALL: &'static [Self] = &[$($Name::$Variant),+];

            fn name(self) -> &'static str {
                match self { $($Name::$Variant => $name,)+ }
            }

            fn about(self) -> &'static str {
                match self { $($Name::$Variant => concat!($($about,)+).trim_ascii(),)+ }
            }
        }

        $(impl Default for $Name {
            fn default() -> Self {
                $Name::$Default
            }
        })?

        $crate::named!($Name);
    };
    ($Name:ty) => {
        impl core::fmt::Display for $Name {
            fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                formatter.pad($crate::names::Named::name(*self))
            }
        }

        impl core::str::FromStr for $Name {
            type Err = $crate::names::UnknownName;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                $crate::names::Named::of_name(name)
            }
        }

        impl $crate::names::Schema for $Name {
            const SCHEMA: &'static $crate::names::NamedType =
                <str as $crate::names::Schema>::SCHEMA;
        }

        impl $crate::names::serde::Serialize for $Name {
            fn serialize<S: $crate::names::serde::Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                serializer.serialize_str($crate::names::Named::name(*self))
            }
        }

        impl<'de> $crate::names::serde::Deserialize<'de> for $Name {
            fn deserialize<D: $crate::names::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Self, D::Error> {
                let visitor = $crate::names::NameVisitor::<$Name>(core::marker::PhantomData);
                deserializer.deserialize_str(visitor)
            }
        }
    };
}

#[doc(hidden)]
pub use postcard_schema::Schema;
#[doc(hidden)]
pub use postcard_schema::schema::NamedType;
#[doc(hidden)]
pub use serde;

/// Reads a name, wherever a format keeps its text.
#[doc(hidden)]
#[derive(Debug)]
pub struct NameVisitor<T>(pub core::marker::PhantomData<T>);

impl<T: Named> serde::de::Visitor<'_> for NameVisitor<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the name of a {}", T::KIND)
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<T, E> {
        T::of_name(name).map_err(E::custom)
    }
}
