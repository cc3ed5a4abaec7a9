// What is done before the first paint. A file of its own because the content security policy forbids inline scripts.
(() => {
  const stored = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null; // storage may be blocked: nobody is signed in, and the system's colour scheme is a fine answer
    }
  };

  const choice = stored('theme');
  const dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');

  // Users with a session see the shell first; others need these files after the sign-in, so they are fetched last.
  const { signedIn } = document.currentScript.dataset;
  if (!signedIn) return;
  const token = stored('jwt');
  const kind = token === null ? { rel: 'prefetch', as: 'script' } : { rel: 'modulepreload' };
  for (const href of signedIn.split(' '))
    document.head.append(Object.assign(document.createElement('link'), { ...kind, crossOrigin: '', href }));

  // What the shell asks before it draws anything, asked while its scripts are on their way: src/api/early.ts takes it.
  if (token === null || location.pathname === '/login') return;
  const bearer = `Bearer ${token}`;
  const ask = (address) => {
    const answer = fetch(address, { headers: { 'Grpc-Metadata-Authorization': bearer } });
    answer.catch(() => {});
    return [address, answer];
  };
  globalThis.early = { bearer, answers: new Map(['/api/internal/profile', '/api/internal/settings'].map(ask)) };
})();
