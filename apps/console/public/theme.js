// Sets the colour scheme before the first paint. A file of its own because the content security policy forbids inline scripts.
(() => {
  let choice = 'auto';
  try {
    choice = localStorage.getItem('theme') ?? 'auto';
  } catch {
    // storage may be blocked; the system's scheme is a fine answer
  }
  const dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
})();
