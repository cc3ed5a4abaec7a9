// node:test follows each promise of a test process, to name the test that an uncaught error belongs to: a fifth of the
// processor time of tests that call a server. With this module, which is loaded before it, it follows sockets and timers
// only. An uncaught error still fails the file.
import asyncHooks from 'node:async_hooks';

const { createHook } = asyncHooks;
asyncHooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });
