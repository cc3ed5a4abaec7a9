import { setPriority } from 'node:os';
import { checkFile } from './check.ts';

/** Checks the file named on the command line with the lowest priority, and prints a JSON list of findings. */
setPriority(19);
process.stdout.write(JSON.stringify(checkFile(process.argv[2]!)));
