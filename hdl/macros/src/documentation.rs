//! Documentation comments as text.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The lines of the documentation comment, without the blank that follows `///`.
pub fn lines(attributes: &[Attribute]) -> Vec<String> {
    let comments = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(text), ..
            }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    });
    comments
        .flat_map(|comment| comment.split('\n').map(str::to_owned).collect::<Vec<_>>())
        .map(|line| line.strip_prefix(' ').map(str::to_owned).unwrap_or(line))
        .collect()
}

/// The first paragraph, as one line.
pub fn first_paragraph(attributes: &[Attribute]) -> String {
    let lines = lines(attributes);
    let paragraph = lines.iter().map(|line| line.trim()).take_while(|line| !line.is_empty());
    paragraph.collect::<Vec<_>>().join(" ")
}
