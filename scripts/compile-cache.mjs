// Loaded before the server: compiling its code takes half of a start, from the second start on it is read from here.
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/hilltop', import.meta.url)));
