/**
 * `node:http` without the side effects of an import: to list its exports, Node would load its own web client (`fetch`,
 * `WebSocket`), which the server does not use and which takes 5 MB of memory.
 */
export const { Agent, createServer, request, STATUS_CODES } = process.getBuiltinModule('node:http');
