//! The load of every link, as a picture of the mesh.

use super::{Area, Drawn, Sheet};
use plotters::{
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};
use portico_spec::{Config, Node, Port};
use portico_testbench::traffic::{report::Report, Link};

/// Pixels from a router to the next, and of the sides of a router and of a terminal.
const PITCH: i32 = 150;
const ROUTER: i32 = 50;
const TERMINAL: i32 = 30;
/// From the middle of a router to that of its tile, in both directions.
const TILE: i32 = 58;
/// Between the two directions of a link, from its middle line.
const LANE: i32 = 7;
/// Width and height of a step of the legend.
const STEP: (i32, i32) = (24, 12);
/// Steps of the legend.
const STEPS: i32 = 10;

/// Colours of loads from 0 to 1, evenly spaced: grey for an idle link, then lighter to darker (ColorBrewer YlOrRd).
const SCALE: [RGBColor; 5] = [
    RGBColor(205, 208, 212),
    RGBColor(254, 204, 92),
    RGBColor(253, 141, 60),
    RGBColor(227, 26, 28),
    RGBColor(110, 0, 32),
];

type Point = (i32, i32);

/// A picture of the mesh of `config`: routers with their coordinates, terminals with their numbers, and every link in both
/// directions, in the colour of its load in the run of `report` and with that load in percent beside it.
///
/// # Errors
/// Drawing fails.
pub fn links(config: &Config, report: &Report) -> anyhow::Result<String> {
    // Edge nodes lie below the last row.
    let below = i32::from(config.edge_nodes > 0) * PITCH / 2;
    let side = |count: usize, more: i32| (count as i32 * PITCH + more) as u32;
    let sheet = Sheet {
        panel: (side(config.cols, 0).max(560), side(config.rows, below)),
        band: 90,
        title: 16,
    };
    let title = format!("Load of the links of a {}x{} mesh", config.cols, config.rows);
    sheet.svg(&title, (1, 1), |band, areas| {
        legend(band)?;
        let area = &areas[0];
        for flits in &report.links {
            let load = flits.measured as f64 / report.cycles as f64;
            arrow(area, lane(config, flits.link), load)?;
        }
        for tile in 0..config.tiles() {
            let node = config.tile_node(tile);
            place(area, centre(node), ROUTER, &format!("({}, {})", node.x, node.y))?;
        }
        for terminal in 0..config.terminals() {
            place(area, terminal_centre(config, terminal), TERMINAL, &terminal.to_string())?;
        }
        Ok(())
    })
}

fn legend<'a>(band: &Area<'a>) -> Drawn<'a> {
    let (x, y) = (20, 56);
    for step in 0..STEPS {
        let left = x + step * STEP.0;
        let corners = [(left, y), (left + STEP.0, y + STEP.1)];
        let middle = (f64::from(step) + 0.5) / f64::from(STEPS);
        band.draw(&Rectangle::new(corners, colour(middle).filled()))?;
    }
    for (percent, at) in [("0", 0), ("50", STEPS / 2), ("100 % of the cycles", STEPS)] {
        let style = ("sans-serif", 12).into_font();
        band.draw(&Text::new(percent, (x + at * STEP.0 - 4, y + STEP.1 + 4), style))?;
    }
    let style = ("sans-serif", 13).into_font();
    let squares = "large squares: routers (x, y); small squares: terminals; figures: % of the cycles with a flit";
    band.draw(&Text::new(squares, (x, y - 16), style))?;
    Ok(())
}

/// The colour of a load from 0 to 1.
fn colour(load: f64) -> RGBColor {
    let at = load.clamp(0.0, 1.0) * (SCALE.len() - 1) as f64;
    let below = (at as usize).min(SCALE.len() - 2);
    let (from, to, share) = (SCALE[below], SCALE[below + 1], at - below as f64);
    let mixed = |from: u8, to: u8| (f64::from(from) + share * (f64::from(to) - f64::from(from))).round() as u8;
    RGBColor(mixed(from.0, to.0), mixed(from.1, to.1), mixed(from.2, to.2))
}

fn centre(router: Node) -> Point {
    let at = |place: u8| i32::from(place) * PITCH + PITCH / 2;
    (at(router.x), at(router.y))
}

/// A tile is to the north-east of its router, an edge node below it.
fn terminal_centre(config: &Config, terminal: usize) -> Point {
    let (router, port) = config.attachment(terminal);
    let (x, y) = centre(router);
    match port {
        Port::Local => (x + TILE, y - TILE),
        _ => (x, y + PITCH - TILE),
    }
}

/// From where to where a link is drawn: to the right of the line between its ends, seen in its direction.
fn lane(config: &Config, link: Link) -> [Point; 2] {
    let (router, port) = match link {
        Link::Injection(terminal) => config.attachment(terminal),
        Link::Output(router, port) => (router, port),
    };
    let (x, y) = centre(router);
    let (near, far, lane) = (ROUTER / 2, PITCH - ROUTER / 2, LANE);
    let to_terminal = config.attached(router, port).is_some();
    // To the terminal, or to the next router.
    let there = match port {
        Port::Local => {
            let end = TILE - TERMINAL / 2;
            [
                (x + near - lane / 2, y - near - lane / 2),
                (x + end - lane / 2, y - end - lane / 2),
            ]
            .map(|(x, y)| (x + lane, y + lane))
        }
        Port::North => [(x + lane, y - near), (x + lane, y - far)],
        Port::East => [(x + near, y + lane), (x + far, y + lane)],
        Port::South if to_terminal => [(x - lane, y + near), (x - lane, y + PITCH - TILE - TERMINAL / 2)],
        Port::South => [(x - lane, y + near), (x - lane, y + far)],
        Port::West => [(x - near, y - lane), (x - far, y - lane)],
    };
    match (link, port) {
        (Link::Output(..), _) => there,
        (Link::Injection(_), Port::Local) => {
            let [from, to] = there.map(|(x, y)| (x - 2 * lane + lane / 2, y - 2 * lane + lane / 2));
            [to, from]
        }
        (Link::Injection(_), _) => {
            let [from, to] = there.map(|(x, y)| (x + 2 * lane, y));
            [to, from]
        }
    }
}

/// A link as an arrow, with its load in percent.
fn arrow<'a>(area: &Area<'a>, [from, to]: [Point; 2], load: f64) -> Drawn<'a> {
    let colour = colour(load);
    let (dx, dy) = (f64::from(to.0 - from.0), f64::from(to.1 - from.1));
    let length = dx.hypot(dy).max(1.0);
    let (dx, dy) = (dx / length, dy / length);
    // Along the arrow, and to its right.
    let at = |along: f64, right: f64| {
        let (x, y) = (f64::from(from.0), f64::from(from.1));
        (
            (x + along * dx - right * dy) as i32,
            (y + along * dy + right * dx) as i32,
        )
    };
    let neck = length - 8.0;
    area.draw(&PathElement::new([from, at(neck, 0.0)], colour.stroke_width(4)))?;
    let head = vec![at(neck, -5.0), at(length, 0.0), at(neck, 5.0)];
    area.draw(&Polygon::new(head, colour.filled()))?;
    let style = ("sans-serif", 10)
        .into_font()
        .color(&BLACK)
        .pos(Pos::new(HPos::Center, VPos::Center));
    let figure = format!("{:.0}", 100.0 * load);
    area.draw(&Text::new(figure, at(length / 2.0, 12.0), style))?;
    Ok(())
}

/// A square with a name in it.
fn place<'a>(area: &Area<'a>, (x, y): Point, side: i32, name: &str) -> Drawn<'a> {
    let corners = [(x - side / 2, y - side / 2), (x + side / 2, y + side / 2)];
    area.draw(&Rectangle::new(corners, WHITE.filled()))?;
    area.draw(&Rectangle::new(corners, BLACK.stroke_width(1)))?;
    let style = ("sans-serif", 12)
        .into_font()
        .color(&BLACK)
        .pos(Pos::new(HPos::Center, VPos::Center));
    area.draw(&Text::new(name.to_owned(), (x, y), style))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{super::tests::labels_are_apart, *};
    use portico_testbench::{
        model::golden_mesh::GoldenMesh,
        traffic::{
            mesh_run,
            plan::{Drain, Plan},
            Workload,
        },
    };

    #[test]
    fn every_link_is_an_arrow_and_a_full_one_is_dark() {
        let config = Config {
            cols: 3,
            rows: 2,
            edge_nodes: 1,
            ..Config::default()
        };
        let workload = Workload::stream(&config, &[(0, 2)], 4).unwrap();
        let plan = Plan {
            drain: Drain::Network,
            ..Plan::new(workload, 40, 400, 1)
        };
        let report = mesh_run::run(&mut GoldenMesh::new(&config), &config, &plan).unwrap();
        let svg = links(&config, &report).unwrap();
        labels_are_apart(&svg);
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        assert_eq!(svg.matches("<polygon").count(), Link::all(&config).len());
        for text in ["(0, 0)", "(2, 1)", "3x2 mesh", "100 % of the cycles"] {
            assert!(svg.contains(text), "{text}");
        }
        let full = format!("{:02X}{:02X}{:02X}", SCALE[4].0, SCALE[4].1, SCALE[4].2);
        // Injection, two hops, ejection, each a line and a head.
        assert_eq!(svg.matches(&format!("#{full}")).count(), 8, "{full}");
    }

    #[test]
    fn the_two_directions_of_a_link_do_not_meet() {
        let config = Config {
            cols: 2,
            rows: 2,
            edge_nodes: 2,
            ..Config::default()
        };
        let lanes: Vec<_> = Link::all(&config)
            .into_iter()
            .map(|link| (link, lane(&config, link)))
            .collect();
        for (link, [from, to]) in &lanes {
            let there = link.ends(&config);
            let (back, [back_from, back_to]) = lanes
                .iter()
                .find(|(other, _)| other.ends(&config) == [there[1], there[0]])
                .unwrap();
            let apart = |a: &Point, b: &Point| (a.0 - b.0).abs().max((a.1 - b.1).abs()) >= LANE;
            assert!(apart(from, back_to) && apart(to, back_from), "{link}, {back}");
        }
    }

    #[test]
    fn colours_go_from_grey_to_dark_and_stay_there() {
        let ends = [colour(0.0), colour(1.0), colour(2.0)].map(|colour| (colour.0, colour.1, colour.2));
        let [first, .., last] = SCALE;
        assert_eq!(
            ends,
            [
                (first.0, first.1, first.2),
                (last.0, last.1, last.2),
                (last.0, last.1, last.2)
            ]
        );
        assert_eq!(colour(0.5).0, SCALE[2].0);
    }
}
