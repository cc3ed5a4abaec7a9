const { NODE_COMPILE_CACHE } = process.env;

/** The environment of threads and processes that must not see that of this process. Compiling takes half of their start. */
export const bareEnvironment: NodeJS.ProcessEnv = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
