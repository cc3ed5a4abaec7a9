import type { Settings } from '@hilltop/contract';

const none: Settings = {
  branding: { footer: '', registration: '' },
  openidConnect: { enabled: false, loginURL: '', loginLabel: '', logoutURL: '' },
};

/** The settings of the server; what an older or unreachable server does not return is off. */
export function knownSettings(answered: Settings | null | undefined): Settings {
  return {
    branding: answered?.branding ?? none.branding,
    openidConnect: answered?.openidConnect ?? none.openidConnect,
  };
}
