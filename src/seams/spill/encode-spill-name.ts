const OTHER_UNITS = /[^A-Za-z0-9._-]/g;

/** A file name for any string, and no two strings share one: what is not plain becomes `~` and four hex digits. */
export function encodeSpillName(name: string): string {
  if (name === '') return '~';
  return name === '.' || name === '..' ? name.replaceAll('.', escapeUnit) : name.replace(OTHER_UNITS, escapeUnit);
}

function escapeUnit(unit: string): string {
  return `~${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}
