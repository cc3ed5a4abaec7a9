/** Part of the rows that Rolldown's code splitting takes. */
interface Chunk {
  name: string;
  test?: RegExp;
  tags?: '$initial'[];
}

/**
 * What is loaded together is one file, with all that it imports and no row above it has: a file for each of the modules
 * that several screens share would be dozens of requests before the first of them is seen.
 */
const inOrder: readonly Chunk[] = [
  { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/ },
  {
    name: 'tanstack',
    test: /node_modules[\\/]@tanstack[\\/](history|query-core|react-query|react-router|router-core|react-store|store)[\\/]/,
  },
  { name: 'index', tags: ['$initial'] },
  { name: 'login', test: /src[\\/]sign-in[\\/]login\.tsx/ },
  { name: 'shell', test: /src[\\/]shell[\\/]shell\.tsx/ },
  { name: 'icons', test: /node_modules[\\/]@tabler[\\/]/ },
  { name: 'list', test: /src[\\/]components[\\/]list[\\/]resource-list\.tsx/ },
];

export const chunks = inOrder.map((chunk, row) => ({ ...chunk, priority: inOrder.length - row }));
