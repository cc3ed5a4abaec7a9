import { setPriority } from 'node:os';
import { checkFile } from './check.ts';

/** Checks the file named on the command line when nothing else wants the processor, and prints a JSON list of findings. */
setPriority(19);
process.stdout.write(JSON.stringify(checkFile(process.argv[2]!)));
