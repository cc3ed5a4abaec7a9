/**
 * The environment variables that child processes need, without settings. With the compile cache a server starts in half
 * the time.
 */
export const childEnvironment: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
};
