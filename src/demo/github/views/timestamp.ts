/** GitHub's times: UTC, whole seconds. */
export const timestamp = (date: Date): string => date.toISOString().replace(/\.\d+Z$/, 'Z');

export const optionalTimestamp = (date: Date | null): string | null => date && timestamp(date);
