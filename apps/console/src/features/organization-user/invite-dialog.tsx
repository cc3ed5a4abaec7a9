import { Button, Group, Modal, Radio } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { MessageForm } from '../../components/form/message-form.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { InvitationLink, type SentInvitation } from './invitation-link.tsx';
import { RightsFields } from './rights-fields.tsx';

const nobody = {
  email: '',
  isAdmin: false,
  isDeviceAdmin: false,
  isGatewayAdmin: false,
  isReadOnly: false,
  applicationIDs: [] as string[],
};

/** Invites a person, by mail or by a link that the dialog shows once. */
export default function InviteDialog({ organizationID, onClose }: { organizationID: string; onClose: () => void }) {
  const [sent, setSent] = useState<SentInvitation | null>(null);
  return (
    <Modal opened onClose={onClose} title={sent ? 'Invitation link' : 'Invite to the organization'}>
      {sent ? (
        <InvitationLink {...sent} onDone={onClose} />
      ) : (
        <InviteForm organizationID={organizationID} onCancel={onClose} onSent={setSent} onMailed={onClose} />
      )}
    </Modal>
  );
}

interface InviteFormProps {
  organizationID: string;
  onCancel: () => void;
  onMailed: () => void;
  /** A link is to be handed over. */
  onSent: (sent: SentInvitation) => void;
}

function InviteForm({ organizationID, onCancel, onMailed, onSent }: InviteFormProps) {
  const form = useMessageForm('CreateInvitationRequest', { values: nobody });
  const { data: mail } = useQuery(query('mail', 'get', {}));
  const canMail = mail?.isSetUp === true && mail.canConfirm;
  const [wantsLink, setWantsLink] = useState(false);
  const isMailed = canMail && !wantsLink;

  async function invite(values: typeof nobody) {
    const call = api.invitation.create({ organizationID, ...values, isMailed });
    const { link, mailProblem } = await perform(call, {
      changed: ['invitation'],
      ...(isMailed && { done: 'invitation has been sent' }),
    });
    if (link === '') onMailed();
    else onSent({ email: values.email, link, mailProblem });
  }

  return (
    <MessageForm
      form={form}
      submit={isMailed ? 'Send invitation' : 'Create link'}
      bare
      guarded={false}
      onSubmit={invite}
      actions={
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
      }
    >
      <TextField name="email" autoComplete="off" inputMode="email" />
      <RightsFields form={form} organizationID={organizationID} />
      {canMail && (
        <Radio.Group
          label="Invitation"
          value={wantsLink ? 'link' : 'mail'}
          onChange={(value) => setWantsLink(value === 'link')}
        >
          <Group mt={4}>
            <Radio value="mail" label="Send a mail" />
            <Radio value="link" label="Show a link to hand over" />
          </Group>
        </Radio.Group>
      )}
    </MessageForm>
  );
}
