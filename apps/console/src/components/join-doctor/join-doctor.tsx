import { type JoinCheck, joinChecks, joinFindingText } from '@hilltop/contract';
import { Paper, Skeleton, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { query } from '../../api/queries.ts';
import { useOffered } from '../../api/use-offered.ts';
import { Disclosure } from '../disclosure/disclosure.tsx';
import { formatExact, formatRelative } from '../last-seen/dates.ts';
import { useNow } from '../last-seen/last-seen.tsx';
import { Step, Steps } from '../steps/steps.tsx';
import { FixButton } from './fix-button.tsx';
import { LastRequests } from './last-requests.tsx';

const refreshMs = 5_000;

interface Props {
  devEUI: string;
  applicationID: string;
  deviceProfileID: string;
  /** Shows the card only when something is wrong, beside other words about the join. */
  isBrief?: boolean;
  /** Shown while there is nothing to say. */
  otherwise?: ReactNode;
  /** The card will probably be shown: its space is kept while it is read. */
  isExpected?: boolean;
}

/** Why a device does not join: checks from its keys to its first uplink, with what to do. Nothing once it has joined. */
export function JoinDoctor({ devEUI, applicationID, deviceProfileID, ...how }: Props) {
  const { isBrief = false, otherwise = null, isExpected = false } = how;
  const isOffered = useOffered('joinDoctor', 'get');
  const { data, error } = useQuery({
    ...query('joinDoctor', 'get', { devEUI }),
    enabled: isOffered,
    refetchInterval: ({ state }) => (state.data?.verdict === 'JOINED' ? false : refreshMs),
    staleTime: 0,
  });
  if (isExpected && isOffered && !data && !error) return <Skeleton height={170} />;
  if (!data || data.verdict === 'JOINED' || (isBrief && data.verdict !== 'PROBLEM')) return otherwise;
  const found = data.checks.filter(({ finding }) => finding !== '');
  return (
    <Paper component="section" aria-label="Why does it not join?" aria-live="polite">
      <Title order={2} mb="xs">
        Why does it not join?
      </Title>
      {found.length > 0 && (
        <Steps label="Findings">
          {found.map((check) => (
            <Step
              key={check.check}
              {...stepOf(check)}
              action={<FixButton {...{ check, devEUI, applicationID, deviceProfileID }} />}
            >
              <Finding check={check} />
            </Step>
          ))}
        </Steps>
      )}
      {!isBrief && (
        <Disclosure label={`All checks (${data.checks.length})`}>
          <Steps label="All checks">
            {data.checks.map((check) => (
              <Step key={check.check} {...stepOf(check)} />
            ))}
          </Steps>
        </Disclosure>
      )}
      {data.requests.length > 0 ? (
        <LastRequests requests={data.requests} />
      ) : (
        data.verdict === 'WAITING' && (
          <Text c="dimmed" size="sm" mt="xs">
            Turn the device on or press its reset button.
          </Text>
        )
      )}
    </Paper>
  );
}

const stepOf = ({ check, state }: JoinCheck) => ({
  title: joinChecks[check],
  isDone: state === 'OK',
  isFailed: state === 'PROBLEM',
});

function Finding({ check: { finding, parameters } }: { check: JoinCheck }) {
  const now = useNow();
  if (finding === '') return null;
  const times = Object.entries(parameters)
    .filter(([name]) => name === 'at' || name === 'since')
    .map(([name, time]) => [name, name === 'at' ? formatRelative(time, now) : formatExact(time)]);
  return <>{joinFindingText(finding, { ...parameters, ...Object.fromEntries(times) })}</>;
}
