import { seed } from './seed.ts';

const SEARCH = `/// The index of \`wanted\` in a sorted slice.
pub fn find(sorted: &[i64], wanted: i64) -> Option<usize> {
    let (mut low, mut high) = (0, sorted.len());
    while low < high {
        let middle = low + (high - low) / 2;
        if sorted[middle] < wanted {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    (low < sorted.len() && sorted[low] == wanted).then_some(low)
}
`;
const TEXT = `/// At most \`max\` bytes of a text, at a border of characters.
pub fn clip(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    let mut end = max;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
`;
const QUEUE = `use std::collections::VecDeque;

pub struct Queue<T> {
    items: VecDeque<T>,
    most: usize,
}

impl<T> Queue<T> {
    pub fn new(most: usize) -> Self {
        Queue { items: VecDeque::new(), most }
    }

    /// False where the queue is full.
    pub fn push(&mut self, item: T) -> bool {
        if self.items.len() >= self.most {
            return false;
        }
        self.items.push_back(item);
        true
    }

    pub fn pop(&mut self) -> Option<T> {
        self.items.pop_front()
    }
}
`;

export const RUST_SEEDS = [
  seed({
    ...{ id: 'rust-endless', language: 'rust', path: 'src/search.rs', base: SEARCH },
    edits: [['            low = middle + 1;', '            low = middle;']],
    defects: [
      {
        ...{ line: '            low = middle;', class: 'endless-loop', severity: 'blocker' },
        title: 'The search does not end where the value is larger',
        scenario: 'find(&[1], 2) loops for ever.',
      },
    ],
  }),
  seed({
    ...{ id: 'rust-bounds', language: 'rust', path: 'src/search.rs', base: SEARCH },
    edits: [
      [
        '    (low < sorted.len() && sorted[low] == wanted).then_some(low)',
        '    (sorted[low] == wanted).then_some(low)',
      ],
    ],
    defects: [
      {
        ...{ line: '    (sorted[low] == wanted).then_some(low)', class: 'crash', severity: 'major' },
        title: 'A value beyond the last one panics',
        scenario: 'find(&[1], 2) reads index 1 of a slice of length 1.',
      },
    ],
  }),
  seed({
    ...{ id: 'rust-char', language: 'rust', path: 'src/text.rs', base: TEXT },
    edits: [
      [
        '    let mut end = max;\n    while !text.is_char_boundary(end) {\n        end -= 1;\n    }\n    &text[..end]',
        '    &text[..max]',
      ],
    ],
    defects: [
      {
        ...{ line: '    &text[..max]', class: 'crash', severity: 'major' },
        title: 'A cut inside a character panics',
        scenario: 'clip("ü", 1) panics.',
      },
    ],
  }),
  seed({
    ...{ id: 'rust-full', language: 'rust', path: 'src/queue.rs', base: QUEUE },
    edits: [
      [
        '        if self.items.len() >= self.most {\n            return false;\n        }\n        self.items.push_back(item);\n        true',
        '        let is_full = self.items.len() >= self.most;\n        self.items.push_back(item);\n        !is_full',
      ],
    ],
    defects: [
      {
        ...{ line: '        !is_full', class: 'contract', severity: 'major' },
        title: 'A full queue says no and takes the item all the same',
        scenario: 'Queue::new(1), push(1), push(2) returns false, and pop() twice gives 1 and 2.',
      },
    ],
  }),
  seed({
    ...{ id: 'rust-text-clean', language: 'rust', path: 'src/text.rs', base: TEXT },
    edits: [
      [
        '    if text.len() <= max {\n        return text;\n    }\n    let mut end = max;',
        '    let mut end = max.min(text.len());',
      ],
    ],
  }),
  seed({
    ...{ id: 'rust-queue-clean', language: 'rust', path: 'src/queue.rs', base: QUEUE },
    edits: [['VecDeque::new(), most', 'VecDeque::with_capacity(most.min(64)), most']],
  }),
];
