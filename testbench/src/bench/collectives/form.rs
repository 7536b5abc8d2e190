//! The trees that the benchmark measures.

use portico_spec::mpe::tree::{Shape, Tree};

/// A tree over all tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A snake through the rows.
    Linear,
    /// The binomial tree of the tiles' numbers.
    Binomial,
    /// Along the centre column, then along the rows.
    Mapped,
    /// The tile in the middle of each quarter, again and again.
    Quad,
    /// All tiles around the first; on two levels if its list is too short.
    Star,
    /// So many children a tile.
    Kary(usize),
}

impl Form {
    /// Those of the curves.
    pub const CURVES: [Form; 5] = [Form::Linear, Form::Binomial, Form::Mapped, Form::Quad, Form::Star];

    /// Name in figures.
    pub fn name(self) -> String {
        match self {
            Form::Linear => "linear".to_owned(),
            Form::Binomial => "binomial".to_owned(),
            Form::Mapped => "mapped".to_owned(),
            Form::Quad => "quad".to_owned(),
            Form::Star => "star".to_owned(),
            Form::Kary(k) => format!("{k}-ary"),
        }
    }

    /// The tree of [`Form::CURVES`] that has this name.
    pub fn named(name: &str) -> Option<Form> {
        Form::CURVES.into_iter().find(|form| form.name() == name)
    }

    /// Its shape.
    pub fn shape(self) -> Shape {
        match self {
            Form::Linear => Shape::Linear,
            Form::Binomial => Shape::Binomial,
            Form::Mapped => Shape::Centre,
            Form::Quad => Shape::Quad,
            Form::Star => Shape::Star,
            Form::Kary(k) => Shape::Kary(k),
        }
    }

    /// The tree of a shape; none if the benchmark has no name for it.
    pub fn of(shape: &Shape) -> Option<Form> {
        Form::CURVES.into_iter().find(|form| form.shape() == *shape)
    }

    /// Root of broadcasts and reductions: the first tile, which is the end of the chain and the hub of the star; of the
    /// mapped and the quartered tree the centre.
    pub fn root(self, tree: &Tree) -> usize {
        match self {
            Form::Mapped | Form::Quad => centre(tree),
            _ => 0,
        }
    }
}

/// The member from which the others are nearest: root of barriers and allreduces, which have no root of their own.
pub fn centre(tree: &Tree) -> usize {
    let ranks = 0..tree.tiles().len();
    ranks.min_by_key(|&rank| tree.depth(rank)).expect("a tree has members")
}

#[cfg(test)]
mod tests {
    use super::*;
    use portico_spec::Config;

    #[test]
    fn roots_are_where_they_should_be() {
        let config = Config::default();
        let all: Vec<usize> = (0..config.tiles()).collect();
        let roots = |form: Form| {
            let tree = Tree::new(&config, &all, &form.shape()).unwrap();
            (form.root(&tree), centre(&tree), tree.depth(form.root(&tree)))
        };
        assert_eq!(roots(Form::Linear), (0, 4, 15));
        assert_eq!(roots(Form::Binomial), (0, 0, 4));
        assert_eq!(roots(Form::Mapped), (5, 5, 4));
        assert_eq!(roots(Form::Quad), (5, 5, 2));
        assert_eq!(roots(Form::Star), (0, 0, 2));
        assert_eq!(roots(Form::Kary(7)), (0, 0, 2));
    }
}
