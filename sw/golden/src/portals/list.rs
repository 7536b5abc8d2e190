//! The list manager. Each list is a vector in append order, and a search goes through it from the front. Nothing is hashed
//! or linked. Handles are numbers that rise.

use portico_spec::portals::list::{
    Answer, Counters, Entry, List, Opcode, Resolution, Status, ANY_SOURCE, CODE_WIDTH, HANDLE_OFFSET, LIST_OFFSET,
    LIST_WIDTH, MANAGE_LOCAL, NO_TRUNCATE, OFFSET_OFFSET, OPCODE_OFFSET, UNEXPECTED_HDR_DISABLE, USE_ONCE,
};

/// An entry and the handle that it was given.
#[derive(Clone, Copy, Debug)]
struct Held {
    handle: u32,
    entry: Entry,
}

/// The three lists over one table of places.
#[derive(Clone, Debug)]
pub struct GoldenLists {
    lists: [Vec<Held>; 3],
    /// Entries that left their lists and keep their places.
    detached: Vec<Held>,
    /// Where the hit is that waits for its resolution.
    hit: Option<(List, usize)>,
    places: usize,
    next_handle: u32,
    searches: u64,
    compared: u64,
    longest: u64,
}

/// Whether `entry` matches `header` (Portals 4, 3.12).
pub fn matches(entry: &Entry, header: &Entry) -> bool {
    let source = match entry.has(ANY_SOURCE) {
        true => entry.portal() == header.portal(),
        false => entry.source == header.source,
    };
    let bits = (entry.match_bits ^ header.match_bits) & !entry.ignore_bits == 0;
    let offset = match entry.has(MANAGE_LOCAL) {
        true => entry.offset,
        false => header.offset,
    };
    let fits = u64::from(offset) + u64::from(header.length) <= u64::from(entry.length);
    source && bits && (fits || !entry.has(NO_TRUNCATE))
}

impl GoldenLists {
    /// Empty lists that share `places` places.
    pub fn new(places: usize) -> Self {
        Self {
            lists: Default::default(),
            detached: vec![],
            hit: None,
            places,
            next_handle: 0,
            searches: 0,
            compared: 0,
            longest: 0,
        }
    }

    /// The entries of a list, oldest first.
    pub fn entries(&self, list: List) -> Vec<Entry> {
        self.lists[list as usize].iter().map(|held| held.entry).collect()
    }

    /// Handles of the entries that are detached.
    pub fn detached(&self) -> Vec<u32> {
        self.detached.iter().map(|held| held.handle).collect()
    }

    /// Whether a hit is held.
    pub fn holds(&self) -> bool {
        self.hit.is_some()
    }

    /// What [`Opcode::Status`] reads.
    pub fn counters(&self) -> Counters {
        let occupancy = [0, 1, 2].map(|list| self.lists[list].len() as u16);
        Counters {
            occupancy,
            free: (self.places - self.held()) as u16,
            searches: self.searches,
            compared: self.compared,
            longest: self.longest,
        }
    }

    /// Carries out the command in `beats`, and gives its results in order.
    pub fn serve(&mut self, beats: &[u64]) -> Vec<Vec<u64>> {
        let field = |offset: usize, width: usize| (beats[0] >> offset) as u32 & ((1 << width) - 1);
        let list = field(LIST_OFFSET, LIST_WIDTH);
        let refused = |status| vec![single(status, list, 0)];
        let Some(opcode) = Opcode::from_code(field(OPCODE_OFFSET, CODE_WIDTH)) else {
            return refused(Status::BadOpcode);
        };
        if beats.len() != opcode.beats() {
            return refused(Status::BadLength);
        }
        let Some(list) = List::from_code(list).filter(|&list| opcode.works_on(list)) else {
            return refused(Status::BadList);
        };
        if self.hit.is_some() != (opcode == Opcode::Resolve) {
            return refused(match self.hit.is_some() {
                true => Status::Held,
                false => Status::NotHeld,
            });
        }
        let entry = Entry::from_command(beats);
        let handle = (beats[0] >> HANDLE_OFFSET) as u32;
        match opcode {
            Opcode::Append => vec![self.append(list, entry)],
            Opcode::AppendSearch => self.append_search(entry),
            Opcode::Search | Opcode::SearchDelete => self.search(list, &entry, opcode == Opcode::SearchDelete),
            Opcode::Probe | Opcode::Consume => self.probe(&entry, opcode == Opcode::Consume),
            Opcode::Deliver => self.deliver(entry),
            Opcode::SearchHold => {
                let hit = self.first_match(list, &entry);
                vec![self.hold(hit, list)]
            }
            Opcode::AppendHold => match self.first_header(&entry) {
                None => vec![self.append(List::Priority, entry)],
                hit => vec![self.hold(hit, list)],
            },
            Opcode::ConsumeHold => {
                let hit = self.first_header(&entry);
                vec![self.hold(hit, list)]
            }
            Opcode::Resolve => self.resolve(&Resolution::decode(beats)),
            Opcode::Release => match self.detached.iter().position(|held| held.handle == handle) {
                None => refused(Status::BadHandle),
                Some(place) => {
                    self.detached.remove(place);
                    vec![single(Status::Done, list as u32, handle)]
                }
            },
            Opcode::Status => {
                let first = single(Status::Done, list as u32, 0);
                vec![[first, self.counters().encode().to_vec()].concat()]
            }
            Opcode::Delete | Opcode::Read | Opcode::SetOffset => match self.place_of(list, handle) {
                None => refused(Status::BadHandle),
                Some((list, place)) => vec![self.at_handle(opcode, list, place, beats)],
            },
        }
    }

    fn held(&self) -> usize {
        self.lists.iter().map(Vec::len).sum::<usize>() + self.detached.len()
    }

    fn append(&mut self, list: List, entry: Entry) -> Vec<u64> {
        if self.held() == self.places {
            return single(Status::Full, list as u32, 0);
        }
        let handle = self.next_handle;
        self.next_handle += 1;
        self.lists[list as usize].push(Held { handle, entry });
        single(Status::Done, list as u32, handle)
    }

    fn append_search(&mut self, entry: Entry) -> Vec<Vec<u64>> {
        let mut results = self.matching_headers(&entry, true);
        if results.is_empty() || !entry.has(USE_ONCE) {
            results.push(self.append(List::Priority, entry));
        }
        results
    }

    fn probe(&mut self, entry: &Entry, consume: bool) -> Vec<Vec<u64>> {
        let mut results = self.matching_headers(entry, consume);
        if results.is_empty() || !entry.has(USE_ONCE) {
            results.push(single(Status::NoMatch, List::Unexpected as u32, 0));
        }
        results
    }

    /// The first, or for a persistent entry every header in Unexpected that `entry` matches, oldest first.
    fn matching_headers(&mut self, entry: &Entry, consume: bool) -> Vec<Vec<u64>> {
        let (mut results, mut compared, mut place) = (vec![], 0, 0);
        while let Some(&held) = self.lists[List::Unexpected as usize].get(place) {
            compared += 1;
            place += 1;
            if matches(entry, &held.entry) {
                results.push(found(List::Unexpected, held, !entry.has(USE_ONCE)));
                if consume {
                    place -= 1;
                    self.lists[List::Unexpected as usize].remove(place);
                }
                if entry.has(USE_ONCE) {
                    break;
                }
            }
        }
        self.count(compared);
        results
    }

    /// Where the first entry is that `header` matches.
    fn first_match(&mut self, list: List, header: &Entry) -> Option<(List, usize)> {
        let lists: &[List] = match list {
            List::All => &[List::Priority, List::Overflow],
            _ => &[list],
        };
        let all = lists.iter().flat_map(|&list| {
            let held = self.lists[list as usize].iter().enumerate();
            held.map(move |(place, held)| (list, place, held))
        });
        let (mut compared, mut first) = (0, None);
        for (list, place, held) in all {
            compared += 1;
            if matches(&held.entry, header) {
                first = Some((list, place));
                break;
            }
        }
        self.count(compared);
        first
    }

    /// Where the first header is in Unexpected that `entry` matches.
    fn first_header(&mut self, entry: &Entry) -> Option<(List, usize)> {
        let headers = &self.lists[List::Unexpected as usize];
        let hit = headers.iter().position(|held| matches(entry, &held.entry));
        let compared = hit.map_or(headers.len(), |place| place + 1);
        self.count(compared as u64);
        Some((List::Unexpected, hit?))
    }

    /// Holds the hit of a search of `list`, if there is one.
    fn hold(&mut self, hit: Option<(List, usize)>, list: List) -> Vec<u64> {
        self.hit = hit;
        match hit {
            None => single(Status::NoMatch, list as u32, 0),
            Some((list, place)) => found(list, self.lists[list as usize][place], false),
        }
    }

    /// Resolves the hit; without a place for the header it stays as it is.
    fn resolve(&mut self, resolution: &Resolution) -> Vec<Vec<u64>> {
        if resolution.header.is_some() && self.held() == self.places {
            return vec![single(Status::Full, List::All as u32, 0)];
        }
        let (list, place) = self.hit.take().expect("a hit is held");
        let entries = &mut self.lists[list as usize];
        if let Some(offset) = resolution.offset {
            entries[place].entry.offset = offset;
        }
        let handle = entries[place].handle;
        if resolution.removes || resolution.detaches {
            let entry = entries.remove(place);
            if !resolution.removes {
                self.detached.push(entry);
            }
        }
        let answer = Answer {
            status: Status::Done,
            list: list as u8,
            more: resolution.header.is_some(),
            handle,
        };
        let mut results = vec![vec![answer.encode()]];
        results.extend(resolution.header.map(|header| self.append(List::Unexpected, header)));
        results
    }

    fn search(&mut self, list: List, header: &Entry, delete: bool) -> Vec<Vec<u64>> {
        let Some((found_in, place)) = self.first_match(list, header) else {
            return vec![single(Status::NoMatch, list as u32, 0)];
        };
        let held = self.lists[found_in as usize][place];
        if delete {
            self.lists[found_in as usize].remove(place);
        }
        vec![found(found_in, held, false)]
    }

    fn deliver(&mut self, header: Entry) -> Vec<Vec<u64>> {
        let Some((list, place)) = self.first_match(List::All, &header) else {
            return vec![single(Status::NoMatch, List::All as u32, 0)];
        };
        let held = self.lists[list as usize][place];
        let leaves_header = list == List::Overflow && !held.entry.has(UNEXPECTED_HDR_DISABLE);
        let mut results = vec![found(list, held, leaves_header)];
        if leaves_header {
            results.push(self.append(List::Unexpected, header));
        }
        results
    }

    fn place_of(&self, list: List, handle: u32) -> Option<(List, usize)> {
        let lists = [List::Priority, List::Overflow, List::Unexpected];
        let known = lists.into_iter().filter(|&one| list == List::All || list == one);
        known
            .filter_map(|list| {
                let place = self.lists[list as usize]
                    .iter()
                    .position(|held| held.handle == handle)?;
                Some((list, place))
            })
            .next()
    }

    fn at_handle(&mut self, opcode: Opcode, list: List, place: usize, beats: &[u64]) -> Vec<u64> {
        let entries = &mut self.lists[list as usize];
        let held = entries[place];
        match opcode {
            Opcode::Read => return found(list, held, false),
            Opcode::SetOffset => entries[place].entry.offset = (beats[1] >> OFFSET_OFFSET) as u32,
            _ => drop(entries.remove(place)),
        }
        single(Status::Done, list as u32, held.handle)
    }

    fn count(&mut self, compared: u64) {
        self.searches += 1;
        self.compared += compared;
        self.longest = self.longest.max(compared);
    }
}

fn single(status: Status, list: u32, handle: u32) -> Vec<u64> {
    let answer = Answer {
        status,
        list: list as u8,
        more: false,
        handle,
    };
    vec![answer.encode()]
}

fn found(list: List, held: Held, more: bool) -> Vec<u64> {
    let answer = Answer {
        status: Status::Found,
        list: list as u8,
        more,
        handle: held.handle,
    };
    [vec![answer.encode()], held.entry.result_beats().to_vec()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use portico_spec::portals::list::{command, handle_command, PORTAL_OFFSET};

    fn entry(source: u16, match_bits: u64, options: &[usize]) -> Entry {
        Entry {
            source,
            match_bits,
            options: options.iter().map(|option| 1 << option).sum(),
            length: 100,
            ..Entry::default()
        }
    }

    /// Status, list, more and handle of each result.
    fn answers(results: &[Vec<u64>]) -> Vec<(Status, u8, bool, u32)> {
        let answer = |result: &Vec<u64>| {
            let answer = Answer::decode(result[0]).unwrap();
            (answer.status, answer.list, answer.more, answer.handle)
        };
        results.iter().map(answer).collect()
    }

    #[test]
    fn matching_follows_rule_2() {
        let header = entry(3, 0xf0f0, &[]);
        assert!(matches(&entry(3, 0xf0f0, &[]), &header));
        assert!(!matches(&entry(4, 0xf0f0, &[]), &header));
        assert!(matches(&entry(4, 0xf0f0, &[ANY_SOURCE]), &header));
        let elsewhere = 1 << PORTAL_OFFSET;
        assert!(!matches(&entry(4 | elsewhere, 0xf0f0, &[ANY_SOURCE]), &header));
        assert!(!matches(&entry(3 | elsewhere, 0xf0f0, &[]), &header));
        assert!(!matches(&entry(3, 0xf0f1, &[]), &header));
        let ignoring = Entry {
            ignore_bits: 1,
            ..entry(3, 0xf0f1, &[])
        };
        assert!(matches(&ignoring, &header));

        let whole = entry(3, 0xf0f0, &[NO_TRUNCATE]);
        let request = |offset, length| Entry {
            offset,
            length,
            ..header
        };
        assert!(matches(&whole, &request(40, 60)) && !matches(&whole, &request(40, 61)));
        assert!(!matches(&whole, &request(u32::MAX, 2)), "the sum has 33 bits");
        let managed = Entry {
            offset: 90,
            ..entry(3, 0xf0f0, &[NO_TRUNCATE, MANAGE_LOCAL])
        };
        assert!(matches(&managed, &request(u32::MAX, 10)) && !matches(&managed, &request(0, 11)));
        assert!(matches(&entry(3, 0xf0f0, &[]), &request(0, 101)), "others truncate");
    }

    #[test]
    fn the_oldest_match_wins_and_overflow_comes_second() {
        let mut lists = GoldenLists::new(8);
        lists.serve(&command(Opcode::Append, List::Overflow, &entry(0, 7, &[ANY_SOURCE])));
        lists.serve(&command(Opcode::Append, List::Priority, &entry(5, 7, &[])));
        lists.serve(&command(Opcode::Append, List::Priority, &entry(0, 7, &[ANY_SOURCE])));
        let mut search =
            |source| answers(&lists.serve(&command(Opcode::SearchDelete, List::All, &entry(source, 7, &[]))))[0];
        assert_eq!(search(5), (Status::Found, 0, false, 1));
        assert_eq!(search(5), (Status::Found, 0, false, 2));
        assert_eq!(search(5), (Status::Found, 1, false, 0));
        assert_eq!(search(5), (Status::NoMatch, 3, false, 0));
    }

    #[test]
    fn append_search_follows_rule_7() {
        let mut lists = GoldenLists::new(4);
        for source in [1, 2, 1] {
            lists.serve(&command(Opcode::Append, List::Unexpected, &entry(source, 9, &[])));
        }
        let once = command(Opcode::AppendSearch, List::Priority, &entry(2, 9, &[USE_ONCE]));
        assert_eq!(answers(&lists.serve(&once)), [(Status::Found, 2, false, 1)]);
        assert_eq!(answers(&lists.serve(&once)), [(Status::Done, 0, false, 3)]);
        let persistent = command(Opcode::AppendSearch, List::Priority, &entry(1, 9, &[]));
        assert_eq!(
            answers(&lists.serve(&persistent)),
            [
                (Status::Found, 2, true, 0),
                (Status::Found, 2, true, 2),
                (Status::Done, 0, false, 4)
            ]
        );
        assert_eq!(lists.counters().occupancy, [2, 0, 0]);
    }

    #[test]
    fn a_delivery_to_overflow_leaves_a_header() {
        let mut lists = GoldenLists::new(3);
        lists.serve(&command(Opcode::Append, List::Overflow, &entry(0, 7, &[ANY_SOURCE])));
        let deliver = command(Opcode::Deliver, List::All, &entry(5, 7, &[]));
        assert_eq!(
            answers(&lists.serve(&deliver)),
            [(Status::Found, 1, true, 0), (Status::Done, 2, false, 1)]
        );
        lists.serve(&deliver);
        assert_eq!(
            answers(&lists.serve(&deliver)),
            [(Status::Found, 1, true, 0), (Status::Full, 2, false, 0)]
        );
        lists.serve(&handle_command(Opcode::Delete, List::Overflow, 0, 0));
        let silent = entry(0, 7, &[ANY_SOURCE, UNEXPECTED_HDR_DISABLE]);
        lists.serve(&command(Opcode::Append, List::Overflow, &silent));
        assert_eq!(answers(&lists.serve(&deliver)), [(Status::Found, 1, false, 3)]);
        assert_eq!(lists.counters().occupancy, [0, 1, 2]);
    }

    #[test]
    fn a_hit_is_held_until_it_is_resolved() {
        let mut lists = GoldenLists::new(3);
        lists.serve(&command(Opcode::Append, List::Overflow, &entry(0, 7, &[ANY_SOURCE])));
        lists.serve(&command(Opcode::Append, List::Overflow, &entry(5, 7, &[])));
        let search = command(Opcode::SearchHold, List::All, &entry(5, 7, &[]));
        let resolve = |resolution: Resolution| resolution.encode();
        let nothing = resolve(Resolution::default());
        assert_eq!(answers(&lists.serve(&nothing)), [(Status::NotHeld, 3, false, 0)]);
        assert_eq!(answers(&lists.serve(&search)), [(Status::Found, 1, false, 0)]);
        assert_eq!(answers(&lists.serve(&search)), [(Status::Held, 3, false, 0)]);
        let detach = resolve(Resolution {
            offset: Some(40),
            detaches: true,
            header: Some(entry(5, 7, &[])),
            ..Resolution::default()
        });
        assert_eq!(
            answers(&lists.serve(&detach)),
            [(Status::Done, 1, true, 0), (Status::Done, 2, false, 2)]
        );
        assert_eq!((lists.detached(), lists.counters().free), (vec![0], 0));
        assert_eq!(answers(&lists.serve(&search)), [(Status::Found, 1, false, 1)]);
        assert_eq!(answers(&lists.serve(&detach)), [(Status::Full, 3, false, 0)]);
        assert_eq!(answers(&lists.serve(&nothing)), [(Status::Done, 1, false, 1)]);

        let append = command(Opcode::AppendHold, List::Priority, &entry(5, 7, &[]));
        assert_eq!(answers(&lists.serve(&append)), [(Status::Found, 2, false, 2)]);
        let remove = resolve(Resolution {
            removes: true,
            ..Resolution::default()
        });
        assert_eq!(answers(&lists.serve(&remove)), [(Status::Done, 2, false, 2)]);
        assert_eq!(answers(&lists.serve(&append)), [(Status::Done, 0, false, 3)]);

        let delete = handle_command(Opcode::Delete, List::All, 0, 0);
        let release = handle_command(Opcode::Release, List::All, 0, 0);
        assert_eq!(answers(&lists.serve(&delete)), [(Status::BadHandle, 3, false, 0)]);
        assert_eq!(answers(&lists.serve(&release)), [(Status::Done, 3, false, 0)]);
        assert_eq!(answers(&lists.serve(&release)), [(Status::BadHandle, 3, false, 0)]);
    }

    #[test]
    fn wrong_commands_change_nothing() {
        let mut lists = GoldenLists::new(1);
        let append = command(Opcode::Append, List::Priority, &entry(1, 1, &[]));
        lists.serve(&append);
        let before = format!("{lists:?}");
        let cases = [
            (append.clone(), Status::Full),
            (append[..4].to_vec(), Status::BadLength),
            (vec![0], Status::BadOpcode),
            (command(Opcode::Append, List::All, &entry(1, 1, &[])), Status::BadList),
            (
                command(Opcode::Probe, List::Priority, &entry(1, 1, &[])),
                Status::BadList,
            ),
            (handle_command(Opcode::Delete, List::Priority, 1, 0), Status::BadHandle),
            (handle_command(Opcode::Delete, List::Overflow, 0, 0), Status::BadHandle),
        ];
        for (beats, status) in cases {
            assert_eq!(answers(&lists.serve(&beats))[0].0, status);
        }
        assert_eq!(format!("{lists:?}"), before);
        lists.serve(&handle_command(Opcode::SetOffset, List::All, 0, 12));
        assert_eq!(lists.entries(List::Priority)[0].offset, 12);
    }
}
