/** For the environment of each `dsh` that a test starts from its sources (see jest.config.js). */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };
