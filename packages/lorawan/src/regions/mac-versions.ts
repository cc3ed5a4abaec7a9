/** The MAC versions with different regional rules, oldest first. */
const macVersions = ['1.0.0', '1.0.1', '1.0.2', '1.0.3', '1.0.4', '1.1.0'];

/** The version itself when the regional rules mention it; else 1.0.4, whose rules are the newest ones. */
export function ruledMacVersion(macVersion: string): string {
  return macVersions.includes(macVersion) ? macVersion : '1.0.4';
}

export function isOlderMacVersion(macVersion: string, than: string): boolean {
  return macVersions.indexOf(ruledMacVersion(macVersion)) < macVersions.indexOf(than);
}
