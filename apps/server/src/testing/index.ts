/** What tests of other parts start a server with. */
export { CallError } from './client.ts';
export { databases } from './databases.ts';
export * from './factories.ts';
export { adminEmail, adminPassword, startTestApp, type TestApp } from './test-app.ts';
