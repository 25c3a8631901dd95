//! Plots as SVG and self-contained HTML pages.
//!
//! A [`Plot`] is data: name it, give it two axes, add lines from the back to the front
//! ([`Plot::line`] with a [`Style`]: lines, steps, points, crosses for what is marked, dashes for
//! bounds; [`Plot::cdf`] and [`Plot::histogram`] from raw values) or a [`HeatMap`]; then
//! [`Plot::svg`] draws it, or [`Plot::in_format`] as PNG or PDF, and [`Plot::write_csv`] writes its points. Give it all points: drawing
//! thins them to what can be seen. A [`Page`] is put together from the top to the bottom:
//! [`Page::new`] with a title, paragraphs of introduction, then [`Page::chapter`] and
//! [`Page::section`], which make the index, with [`Page::paragraph`], [`Page::list`],
//! [`Page::table`] and [`Page::figure`] below them; [`Page::html`] is one file that needs no
//! network, in light and dark, on a phone and on paper, and tells the values under the pointer.
//! Words are [`Text`], plain strings or with parts that are faint, code, good or bad.
//!
//! ```
//! use ackclock_report::{Axis, Page, Plot, Style, Table, Text};
//!
//! let rtt = [(0.0, 40.2), (0.5, 43.0), (1.0, 39.7)];
//! let plot = Plot::new("rtt", "Round-trip time", Axis::linear("time (s)"), Axis::linear("RTT (ms)"))
//!     .line("connection 1", Style::Line, rtt)
//!     .line("retransmissions", Style::Crosses, [(0.7, 41.0)]);
//! let mut page = Page::new("A capture");
//! page.paragraph("3 round trips were timed.");
//! page.section("connection-1", "Connection 1", Text::new().good("no gaps"));
//! page.table(Table::new(["", "median"]).row(["round-trip time", "40.2 ms"]));
//! page.figure(&plot, plot.title.as_str());
//! assert!(page.html().contains("<svg"));
//! ```
#![forbid(unsafe_code)]

mod convert;
mod hover;
mod page;
mod picture;
mod plot;
mod text;
mod thin;

pub use convert::{Format, FormatError};
pub use page::Page;
pub use plot::{Axis, HeatMap, Line, Plot, Style};
pub use text::{Table, Text, number};
