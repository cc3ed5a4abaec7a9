/**
 * `node:http` without what an import of it brings along: to name its exports Node then loads its own client of the web
 * (`fetch`, `WebSocket`), which the server does not use, and which takes 5 MB of memory.
 */
export const { Agent, createServer, request, STATUS_CODES } = process.getBuiltinModule('node:http');
