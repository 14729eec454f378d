/** The transport of code mode; no plugin may own or hide it. */
export const RESERVED_TOOL_NAME = 'run_code';
