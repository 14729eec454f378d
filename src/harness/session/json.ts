/** Lossless JSON: what a session log may hold, and how it is copied, frozen, compared and written. */
export { copyJsonValue, freezeParsedJson, isJsonValue, snapshotJsonValue, snapshotOfParts } from './snapshot-json.ts';
export { canonicalJson } from './canonical-json.ts';
export { deepFreeze } from './deep-freeze.ts';
export { jsonEquals } from './json-equals.ts';
