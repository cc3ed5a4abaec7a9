/** The second factor of users who sign in with a password: TOTP (RFC 6238) and recovery codes. */
import { admins, globally, only } from './access.ts';
import { get, ownOperationsOf, post, remove } from './operation.ts';
import { codeOfSecondFactor, givenPassword } from './rules.ts';
import { bool, int64, list, message, text, timestamp, uint32, type ValueOf } from './wire.ts';

export const SecondFactor = message('hilltop.SecondFactor', {
  isOn: bool({ label: 'Second factor', help: 'Signing in asks for a code.' }),
  since: timestamp({ label: 'On since' }),
  recoveryCodesLeft: uint32({ label: 'Recovery codes left' }),
  isRequired: bool({ label: 'Required', help: 'The setting HILLTOP_REQUIRE_SECOND_FACTOR requires it of this user.' }),
  isAvailable: bool({
    label: 'Available',
    help: 'The user has a password. Others sign in by single sign-on: the provider asks for a second factor.',
  }),
});
export type SecondFactor = ValueOf<typeof SecondFactor>;

const password = text({ ...givenPassword, label: 'Current password', secret: true, required: true });
const code = text({ ...codeOfSecondFactor, required: true });

export const CreateSecondFactorRequest = message('hilltop.CreateSecondFactorRequest', { password });
export const ConfirmSecondFactorRequest = message('hilltop.ConfirmSecondFactorRequest', {
  code: text({ ...codeOfSecondFactor, help: 'The six digits of your authenticator app.', required: true }),
});
export const RemoveSecondFactorRequest = message('hilltop.RemoveSecondFactorRequest', { password, code });

const RecoveryCodes = message('hilltop.RecoveryCodes', {
  recoveryCodes: list(text(), { label: 'Recovery codes', help: 'Each can be used once instead of a code of the app.' }),
});

const ofUser = { userID: int64({ required: true }) };
const own = globally('anyUser');
/** Also for users who must set up a second factor first. */
const settingUp = globally('anyUser', 'userSettingUp');

export const secondFactor = ownOperationsOf('secondFactor', {
  get: get('/api/account/totp', {
    summary: 'Get the state of your second factor',
    response: SecondFactor,
    access: settingUp,
  }),
  create: post('/api/account/totp', {
    summary: 'Create the secret of a second factor; it counts after it was confirmed',
    request: CreateSecondFactorRequest,
    response: message('hilltop.CreateSecondFactorResponse', {
      secret: text({ label: 'Secret', help: 'In base32, for an app that cannot scan the QR code.' }),
      uri: text({ label: 'URI', help: 'otpauth:// with secret and name, for a QR code.' }),
    }),
    access: settingUp,
  }),
  confirm: post('/api/account/totp/confirm', {
    summary: 'Turn on the second factor with a first code; your other sessions end',
    request: ConfirmSecondFactorRequest,
    response: RecoveryCodes,
    access: settingUp,
  }),
  remove: post('/api/account/totp/remove', {
    summary: 'Turn off your second factor',
    request: RemoveSecondFactorRequest,
    access: own,
  }),
  createRecoveryCodes: post('/api/account/recovery-codes', {
    summary: 'Create ten new recovery codes; earlier ones no longer work',
    request: message('hilltop.CreateRecoveryCodesRequest', { password, code }),
    response: RecoveryCodes,
    access: own,
  }),
  getOfUser: get('/api/users/{user_id}/totp', {
    summary: 'Get the state of the second factor of a user',
    request: message('hilltop.GetSecondFactorOfUserRequest', ofUser),
    response: SecondFactor,
    access: only('user', 'userID', admins),
  }),
  reset: remove('/api/users/{user_id}/totp', {
    summary: 'Turn off the second factor of another user, and end its sessions',
    request: message('hilltop.ResetSecondFactorRequest', ofUser),
    access: only('user', 'userID', admins),
  }),
});
