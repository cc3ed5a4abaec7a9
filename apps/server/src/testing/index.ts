/** What tests of other folders need to start a server. */
export { CallError } from './client.ts';
export { databases } from './databases.ts';
export * from './factories.ts';
export { adminEmail, adminPassword, startTestApp, type TestApp } from './test-app.ts';
