import { networkOf } from '../../connections/network-of.ts';
import { createSharedMarks } from '../../identity/shared-marks.ts';
import { createSharedThrottle, type ThrottleDependencies } from '../../identity/shared-throttle.ts';
import type { PasswordCaller } from '../../passwords/password.ts';
import { RetryLater } from '../../retry-later.ts';

/**
 * Throttles sign-in attempts. A known device, and a network from which a user signed in lately, have separate attempts,
 * which attackers in other networks cannot use up.
 */
export interface SignInThrottle {
  /** Takes an attempt. Rejects with code 8 and the seconds until the next one. */
  begin: (account: string, from: { address: string; device: string | undefined }) => Promise<SignInTry>;
}

export interface SignInTry {
  /** The queue in which the password is compared. */
  caller: PasswordCaller;
  /** Returns the attempt: the password was not compared. */
  giveBack: () => void;
  /** The password was correct: returns the attempt and marks the network as known. */
  succeed: () => void;
}

const perAccount = 10;
const perNetwork = 30;
const perKnown = 10;
const familiarMs = 30 * 24 * 60 * 60 * 1000;
/** Only a correct password adds an entry, so sign-ins evict the oldest one and guesses do not. */
const mostFamiliar = 10_000;

export function createSignInThrottle(needs: ThrottleDependencies): SignInThrottle {
  const accounts = createSharedThrottle(needs, 'accounts', perAccount);
  const networks = createSharedThrottle(needs, 'networks', perNetwork);
  const known = createSharedThrottle(needs, 'known', perKnown);
  const familiar = createSharedMarks(needs, 'familiar', { forMs: familiarMs, most: mostFamiliar });

  return {
    begin: async (account, { address, device }) => {
      const network = networkOf(address);
      const networkAndAccount = `${network} ${account}`;
      const keyOfFamiliarNetwork = async () =>
        (await familiar.has(networkAndAccount)) ? networkAndAccount : undefined;
      const ownKey = device === undefined ? await keyOfFamiliarNetwork() : `device ${device}`;
      const seconds =
        ownKey === undefined
          ? (await networks.take(network)) || (await accounts.take(account))
          : await known.take(ownKey);
      if (seconds > 0) throw new RetryLater(seconds);

      function giveBack(): void {
        if (ownKey !== undefined) return known.giveBack(ownKey);
        accounts.giveBack(account);
        networks.giveBack(network);
      }
      return {
        caller: ownKey === undefined ? { kind: 'unknown', who: network } : { kind: 'known', who: account },
        giveBack,
        succeed: () => {
          giveBack();
          familiar.add(networkAndAccount);
        },
      };
    },
  };
}
