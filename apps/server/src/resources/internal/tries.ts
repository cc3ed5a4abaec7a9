import { networkOf } from '../../connections/network-of.ts';
import { createSharedMarks } from '../../identity/shared-marks.ts';
import { createSharedThrottle, type ThrottleDependencies } from '../../identity/shared-throttle.ts';
import type { Waiter } from '../../passwords/password.ts';
import { RetryLater } from '../../retry-later.ts';

/**
 * How often somebody may try a password. A device that has signed in to the account before, and a network from which
 * somebody did lately, have tries of their own: strangers who guess cannot use those up.
 */
export interface Tries {
  /** Takes a try. Rejects with code 8 and the seconds until there is one. */
  begin: (account: string, from: { address: string; device: string | undefined }) => Promise<SignInTry>;
}

export interface SignInTry {
  /** In which lane the password is looked at. */
  waiter: Waiter;
  /** The try does not count: nobody looked at the password. */
  giveBack: () => void;
  /** It was the right password: the try does not count, and its network is known from now on. */
  succeed: () => void;
}

const perAccount = 10;
const perNetwork = 30;
const perKnown = 10;
const familiarMs = 30 * 24 * 60 * 60 * 1000;
/** Only a right password adds one, so the oldest is gone when many sign in, not when many guess. */
const mostFamiliar = 10_000;

export function createTries(needs: ThrottleDependencies): Tries {
  const accounts = createSharedThrottle(needs, 'accounts', perAccount);
  const networks = createSharedThrottle(needs, 'networks', perNetwork);
  const known = createSharedThrottle(needs, 'known', perKnown);
  const familiar = createSharedMarks(needs, 'familiar', { forMs: familiarMs, most: mostFamiliar });

  return {
    begin: async (account, { address, device }) => {
      const network = networkOf(address);
      const place = `${network} ${account}`;
      const ownLane = async () => ((await familiar.has(place)) ? place : undefined);
      const lane = device === undefined ? await ownLane() : `device ${device}`;
      const seconds =
        lane === undefined ? (await networks.take(network)) || (await accounts.take(account)) : await known.take(lane);
      if (seconds > 0) throw new RetryLater(seconds);

      function giveBack(): void {
        if (lane !== undefined) return known.giveBack(lane);
        accounts.giveBack(account);
        networks.giveBack(network);
      }
      return {
        waiter: lane === undefined ? { kind: 'stranger', who: network } : { kind: 'known', who: account },
        giveBack,
        succeed: () => {
          giveBack();
          familiar.add(place);
        },
      };
    },
  };
}
