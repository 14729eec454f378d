import { seed } from './seed.ts';

const POOL = `package pool

import "sync"

type Pool struct {
	mu    sync.Mutex
	items []int
}

func (p *Pool) Put(item int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.items = append(p.items, item)
}

func (p *Pool) Take() (int, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.items) == 0 {
		return 0, false
	}
	last := p.items[len(p.items)-1]
	p.items = p.items[:len(p.items)-1]
	return last, true
}
`;
const FETCH = `package fetch

import (
	"io"
	"net/http"
)

func Body(client *http.Client, url string) ([]byte, error) {
	response, err := client.Get(url)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(io.LimitReader(response.Body, 1<<20))
}
`;
const PARSE = `package parse

import "strconv"

// Port reads a port between 1 and 65535.
func Port(text string) (int, bool) {
	port, err := strconv.Atoi(text)
	if err != nil || port < 1 || port > 65535 {
		return 0, false
	}
	return port, true
}
`;

export const GO_SEEDS = [
  seed({
    ...{ id: 'go-unlock', language: 'go', path: 'pool/pool.go', base: POOL },
    edits: [
      [
        '	defer p.mu.Unlock()\n	if len(p.items) == 0 {\n		return 0, false\n	}',
        '	if len(p.items) == 0 {\n		return 0, false // nothing\n	}',
      ],
      ['	return last, true', '	p.mu.Unlock()\n	return last, true'],
    ],
    defects: [
      {
        ...{ line: 'return 0, false // nothing', class: 'deadlock', severity: 'blocker' },
        title: 'Taking from an empty pool leaves it locked',
        scenario: 'Take() on an empty pool, and every later Put(1) hangs.',
      },
    ],
  }),
  seed({
    ...{ id: 'go-first', language: 'go', path: 'pool/pool.go', base: POOL },
    edits: [['	last := p.items[len(p.items)-1]', '	last := p.items[0]']],
    defects: [
      {
        ...{ line: 'last := p.items[0]', class: 'wrong-result', severity: 'major' },
        title: 'The first item is given, and the last one thrown away',
        scenario: 'Put(1), Put(2), Take(), Take() gives 1 twice; 2 is lost.',
      },
    ],
  }),
  seed({
    ...{ id: 'go-body', language: 'go', path: 'fetch/fetch.go', base: FETCH },
    edits: [
      [
        '	if err != nil {\n		return nil, err\n	}\n	defer response.Body.Close()',
        '	defer response.Body.Close()\n	if err != nil {\n		return nil, err\n	}',
      ],
    ],
    defects: [
      {
        ...{ line: 'defer response.Body.Close()', class: 'crash', severity: 'major' },
        title: 'A failed request panics on a nil response',
        scenario: 'Body(client, "http://nowhere.invalid") panics instead of returning the error.',
      },
    ],
  }),
  seed({
    ...{ id: 'go-port', language: 'go', path: 'parse/parse.go', base: PARSE },
    edits: [['err != nil || port < 1 || port > 65535', 'err != nil && (port < 1 || port > 65535)']],
    defects: [
      {
        ...{ line: 'err != nil && (port < 1', class: 'condition', severity: 'major' },
        title: 'Ports out of range are taken',
        scenario: 'Port("70000") returns 70000, true.',
      },
    ],
  }),
  seed({
    ...{ id: 'go-fetch-clean', language: 'go', path: 'fetch/fetch.go', base: FETCH },
    edits: [['1<<20', '4<<20']],
  }),
  seed({
    ...{ id: 'go-parse-clean', language: 'go', path: 'parse/parse.go', base: PARSE },
    edits: [
      [
        '	port, err := strconv.Atoi(text)\n	if err != nil || port < 1 || port > 65535 {',
        '	port, err := strconv.ParseUint(text, 10, 16)\n	if err != nil || port == 0 {',
      ],
      ['return port, true', 'return int(port), true'],
    ],
  }),
];
