// Preloaded into the server. Compiling takes half of a start; the second start reads the compiled code from this cache.
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/hilltop', import.meta.url)));
