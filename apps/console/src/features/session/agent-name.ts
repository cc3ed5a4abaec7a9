/** Patterns of browsers, most specific first: most also claim to be those below them. */
const programs: readonly [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|Chromium|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const systems: readonly [RegExp, string][] = [
  [/\b(?:iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** `Firefox on Windows` from a user agent; for programs their first word, such as `curl`. */
export function agentName(agent: string): string {
  const nameIn = (names: typeof programs) => names.find(([pattern]) => pattern.test(agent))?.[1];
  const [program, system] = [nameIn(programs), nameIn(systems)];
  if (program) return system ? `${program} on ${system}` : program;
  return /^[\w.-]{1,40}/.exec(agent)?.[0] ?? 'Not known';
}
