import manifest from '../package.json' with { type: 'json' };

/** What `npm start` gives to node, so that whoever starts a server process starts the same. */
export const startArguments = manifest.scripts.start.split(' ').slice(1);
