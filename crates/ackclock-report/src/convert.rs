//! Pictures in other formats than SVG: PNG for pages and slides, PDF for papers.

use crate::plot::Plot;
use resvg::tiny_skia::{Color, Pixmap, Transform};
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, LazyLock};
use svg2pdf::usvg::fontdb::{Database, Family, Query};
use svg2pdf::usvg::{Options, Tree};
use svg2pdf::{ConversionOptions, PageOptions};

/// Pixels of a PNG for each unit of the picture: sharp on screens with twice the usual resolution.
const SCALE: f32 = 2.0;

/// Sans-serif fonts that are widespread, where the system names none.
const FONTS: [&str; 6] =
    ["DejaVu Sans", "Liberation Sans", "Noto Sans", "Arial", "Helvetica", "Verdana"];

/// The machine's fonts: pictures have names of axes and numbers.
static MACHINE_FONTS: LazyLock<Arc<Database>> = LazyLock::new(|| {
    let mut fonts = Database::new();
    fonts.load_system_fonts();
    let has = |name: &str| {
        fonts.faces().any(|face| face.families.iter().any(|(family, _)| family == name))
    };
    if !has_sans_serif(&fonts) {
        let widespread = FONTS.into_iter().find(|name| has(name)).map(str::to_owned);
        let any = || fonts.faces().find_map(|face| Some(face.families.first()?.0.clone()));
        if let Some(family) = widespread.or_else(any) {
            fonts.set_sans_serif_family(family);
        }
    }
    Arc::new(fonts)
});

fn has_sans_serif(fonts: &Database) -> bool {
    fonts.query(&Query { families: &[Family::SansSerif], ..Query::default() }).is_some()
}

/// A format of a picture's file. As a word: `svg`, `png` or `pdf`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Format {
    /// Lines, in any size; for browsers.
    Svg,
    /// Pixels, twice as many each way as the picture has units.
    Png,
    /// Lines and text with their fonts; for papers.
    Pdf,
}

impl Format {
    /// What the names of such files end in.
    pub const fn extension(self) -> &'static str {
        match self {
            Format::Svg => "svg",
            Format::Png => "png",
            Format::Pdf => "pdf",
        }
    }
}

impl FromStr for Format {
    type Err = FormatError;

    fn from_str(text: &str) -> Result<Self, FormatError> {
        let all = [Format::Svg, Format::Png, Format::Pdf];
        let found = all.into_iter().find(|format| format.extension() == text);
        found.ok_or_else(|| FormatError::Unknown(text.to_owned()))
    }
}

/// Why a picture cannot be had in a format.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FormatError {
    /// There is no format of this name.
    Unknown(String),
    /// The machine has no font, so that names and numbers would be missing.
    NoFont,
    /// The picture cannot be converted.
    Unconvertible(String),
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FormatError::Unknown(name) => {
                write!(f, "no format of pictures is '{name}': use svg, png or pdf")
            }
            FormatError::NoFont => f.write_str(
                "this machine has no fonts, which PNG and PDF need: install one such as DejaVu Sans, or use svg",
            ),
            FormatError::Unconvertible(why) => write!(f, "the picture cannot be converted: {why}"),
        }
    }
}

impl std::error::Error for FormatError {}

impl Plot {
    /// The picture as the content of a file in a format.
    ///
    /// # Errors
    /// [`FormatError::NoFont`] but for SVG if the machine has no font.
    pub fn in_format(&self, format: Format) -> Result<Vec<u8>, FormatError> {
        let svg = self.svg();
        match format {
            Format::Svg => Ok(svg.into_bytes()),
            Format::Png => png(&tree(&svg)?),
            Format::Pdf => pdf(&tree(&svg)?),
        }
    }
}

fn tree(svg: &str) -> Result<Tree, FormatError> {
    if MACHINE_FONTS.is_empty() {
        return Err(FormatError::NoFont);
    }
    let options = Options { fontdb: Arc::clone(&MACHINE_FONTS), ..Options::default() };
    Tree::from_str(svg, &options).map_err(|error| FormatError::Unconvertible(error.to_string()))
}

fn png(tree: &Tree) -> Result<Vec<u8>, FormatError> {
    let unconvertible = |why: &str| FormatError::Unconvertible(why.to_owned());
    let size = tree.size().to_int_size();
    let size = size.scale_by(SCALE).ok_or_else(|| unconvertible("it has no size"))?;
    let mut pixels =
        Pixmap::new(size.width(), size.height()).ok_or_else(|| unconvertible("it has no size"))?;
    pixels.fill(Color::WHITE);
    resvg::render(tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| unconvertible(&error.to_string()))
}

fn pdf(tree: &Tree) -> Result<Vec<u8>, FormatError> {
    svg2pdf::to_pdf(tree, ConversionOptions::default(), PageOptions::default())
        .map_err(|error| FormatError::Unconvertible(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, Style};

    fn plot(points: &[(f64, f64)]) -> Plot {
        let [x, y] = [Axis::linear("time (s)"), Axis::linear("queue")];
        Plot::new("queue", "a queue", x, y).line("queue", Style::Line, points.iter().copied())
    }

    #[test]
    fn a_png_has_twice_the_pictures_size_and_what_is_drawn() {
        let png = plot(&[(0.0, 0.0), (1.0, 3.0)]).in_format(Format::Png).unwrap();
        let flat = plot(&[(0.0, 0.0), (1.0, 0.0)]).in_format(Format::Png).unwrap();
        let pixels = Pixmap::decode_png(&png).unwrap();
        let size = tree(&plot(&[]).svg()).unwrap().size().to_int_size();
        assert_eq!([pixels.width(), pixels.height()], [2 * size.width(), 2 * size.height()]);
        assert_ne!(pixels.data(), Pixmap::decode_png(&flat).unwrap().data());
    }

    #[test]
    fn a_pdf_is_one_and_has_the_fonts_of_its_text() {
        let pdf = plot(&[(0.0, 0.0), (1.0, 3.0)]).in_format(Format::Pdf).unwrap();
        assert!(pdf.starts_with(b"%PDF-"));
        let has = |what: &[u8]| pdf.windows(what.len()).any(|bytes| bytes == what);
        assert!(has(b"/FontDescriptor"));
    }

    #[test]
    fn words_name_formats() {
        for format in [Format::Svg, Format::Png, Format::Pdf] {
            assert_eq!(format.extension().parse(), Ok(format));
        }
        let error = "gif".parse::<Format>().unwrap_err();
        assert_eq!(error.to_string(), "no format of pictures is 'gif': use svg, png or pdf");
    }
}
