//! The arguments of commands that can open a page.

#[derive(Debug, clap::Args)]
pub struct PageArguments {
    /// Serve a page to look at in a browser, and print its address
    #[arg(long)]
    page: bool,
    /// The port of the page; 0 takes a free one
    #[arg(long, value_name = "PORT", default_value_t = 0, requires = "page")]
    port: u16,
    /// The address that the page listens on: whoever reaches it and knows its token can use it
    #[arg(long, value_name = "HOST", default_value = "127.0.0.1", requires = "page")]
    bind: String,
}

/// Where a page listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageCommand {
    /// At which address.
    pub host: String,
    /// On which port.
    pub port: u16,
}

impl PageArguments {
    /// The page, if there shall be one.
    pub fn command(self) -> Option<PageCommand> {
        let Self { page, port, bind } = self;
        page.then_some(PageCommand { host: bind, port })
    }
}
