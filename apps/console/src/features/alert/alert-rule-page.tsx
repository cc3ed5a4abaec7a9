import { Alert, Button } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { perform, query } from '../../api/queries.ts';
import { DeleteButton } from '../../components/confirm/delete-button.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { toast } from '../../components/toast/toast.ts';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';
import { AlertMessages } from './alert-messages.tsx';
import { AlertRuleForm } from './alert-rule-form.tsx';
import { newRule, toValues } from './rule-values.ts';
import { TestResults } from './test-results.tsx';
import { useMail } from './use-mail.ts';

/** The page that creates an alert rule. */
export function AlertRuleCreate() {
  const { organizationID } = useIDs();
  const navigate = useNavigate();
  const list = paths.alertRules(organizationID);
  const mailQuery = useQuery(query('mail', 'get', {}));
  const { ownAddress } = useMail();
  return (
    <>
      <PageHeader crumbs={[{ label: 'Alerts', to: list }]} title="Create alert rule" />
      <Loaded query={mailQuery}>
        {({ isSetUp }) => (
          <AlertRuleForm
            initial={newRule(organizationID, ownAddress)}
            isNew
            hasMail={isSetUp}
            submit="Create alert rule"
            onSubmit={(alertRule) =>
              perform(api.alertRule.create({ alertRule }), {
                changed: ['alertRule', 'alert'],
                done: 'alert rule has been created',
              })
            }
            onSaved={() => void navigate({ to: list })}
          />
        )}
      </Loaded>
    </>
  );
}

/** The page of an alert rule: its form, a test, and its messages. */
export function AlertRuleEdit() {
  const { organizationID } = useIDs();
  const { ruleID = '' }: { ruleID?: string } = useParams({ strict: false });
  const navigate = useNavigate();
  const may = useMay();
  const { mail } = useMail();
  const rule = useQuery(query('alertRule', 'get', { id: ruleID }));
  const list = paths.alertRules(organizationID);
  return (
    <Loaded isPage query={rule}>
      {({ alertRule, unconfirmedAddresses, unsubscribedAddresses }) => (
        <>
          <PageHeader
            crumbs={[{ label: 'Alerts', to: list }]}
            title={alertRule.name}
            actions={
              may('alertRule.delete') && (
                <>
                  <SendTest ruleID={ruleID} isDisabled={alertRule.channels.length === 0} />
                  <DeleteButton
                    question="Are you sure you want to delete this alert rule? Its alerts and messages are deleted as well."
                    name={alertRule.name}
                    onDelete={() =>
                      perform(api.alertRule.delete({ id: ruleID }), {
                        gone: ['alertRule', 'alert'],
                        done: 'alert rule has been deleted',
                      })
                    }
                    onDone={() => void navigate({ to: list })}
                  />
                </>
              )
            }
          />
          {unconfirmedAddresses.length > 0 && (
            <Alert color="yellow" mb="md">
              {`A mail with a link was sent to ${unconfirmedAddresses.join(', ')}. No alerts are sent there until the link is opened.`}
            </Alert>
          )}
          {unsubscribedAddresses.length > 0 && (
            <Alert color="yellow" mb="md">
              {`Unsubscribed from the mails of this rule: ${unsubscribedAddresses.join(', ')}. Only the link in an earlier mail takes this back.`}
            </Alert>
          )}
          <AlertRuleForm
            key={ruleID}
            initial={toValues(alertRule)}
            hasMail={mail?.isSetUp}
            disabled={!may('alertRule.update')}
            submit="Update alert rule"
            onSubmit={(changed) =>
              perform(api.alertRule.update({ alertRule: changed }), {
                changed: ['alertRule', 'alert'],
                done: 'alert rule has been updated',
              })
            }
            onSaved={() => void navigate({ to: list })}
          />
          <AlertMessages ruleID={ruleID} />
        </>
      )}
    </Loaded>
  );
}

type Results = Awaited<ReturnType<typeof api.alertRule.test>>['result'];

function SendTest({ ruleID, isDisabled }: { ruleID: string; isDisabled: boolean }) {
  const [isSending, setSending] = useState(false);
  const [results, setResults] = useState<Results | null>(null);
  async function send() {
    setSending(true);
    try {
      setResults((await api.alertRule.test({ id: ruleID })).result);
    } catch (error) {
      toast.error(explain(error));
    } finally {
      setSending(false);
    }
  }
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconSend size={16} />}
        loading={isSending}
        disabled={isDisabled}
        title={isDisabled ? 'The rule has no receivers' : 'Sends a test message to each receiver'}
        onClick={() => void send()}
      >
        Send test
      </Button>
      {results && <TestResults results={results} onClose={() => setResults(null)} />}
    </>
  );
}
