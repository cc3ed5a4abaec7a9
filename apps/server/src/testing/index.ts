/** What tests elsewhere in the house start a server with. */
export { databases } from './databases.ts';
export * from './factories.ts';
export { adminEmail, adminPassword, CallError, startTestApp, type TestApp } from './test-app.ts';
