/** The part of Rolldown's code-splitting groups that this build uses. */
interface Chunk {
  name: string;
  test?: RegExp;
  tags?: '$initial'[];
}

/**
 * Groups modules that are loaded together into one file. A group holds the modules it imports, except those that an
 * earlier group already has. Without groups the first screen would need dozens of requests for modules that several
 * screens share.
 */
const inOrder: readonly Chunk[] = [
  { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/ },
  {
    name: 'tanstack',
    test: /node_modules[\\/]@tanstack[\\/](history|query-core|react-query|react-router|router-core|react-store|store)[\\/]/,
    tags: ['$initial'],
  },
  { name: 'index', tags: ['$initial'] },
  { name: 'login', test: /src[\\/]sign-in[\\/]login\.tsx/ },
  { name: 'routes', test: /src[\\/]routes\.tsx/ },
  { name: 'shell', test: /src[\\/]shell[\\/]shell\.tsx/ },
  { name: 'icons', test: /node_modules[\\/]@tabler[\\/]/ },
  { name: 'list', test: /src[\\/]components[\\/]list[\\/]resource-list\.tsx/ },
];

export const chunks = inOrder.map((chunk, row) => ({ ...chunk, priority: inOrder.length - row }));
