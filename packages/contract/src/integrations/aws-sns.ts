import { message, text, type ValueOf } from '../wire.ts';
import { applicationID, marshaler, oneLine } from './fields.ts';
import { kindOf } from './kind.ts';

export const AWSSNSIntegration = message('api.AWSSNSIntegration', {
  applicationID,
  marshaler,
  region: text({
    label: 'AWS region',
    required: true,
    maxLength: 40,
    pattern: '^[a-z]{2,3}(-[a-z]+)+-\\d+$',
    message: 'This is not a region such as eu-west-1.',
  }),
  accessKeyID: text({
    label: 'AWS access key ID',
    required: true,
    maxLength: 200,
    pattern: '^\\w+$',
    message: 'An access key ID only has letters and digits.',
  }),
  secretAccessKey: text({ ...oneLine, label: 'AWS secret access key', required: true, secret: true, maxLength: 200 }),
  topicARN: text({
    label: 'AWS SNS topic ARN',
    required: true,
    maxLength: 400,
    pattern: '^arn:aws[a-z\\-]*:sns:[a-z0-9\\-]+:\\d{12}:[\\w\\-]{1,256}(\\.fifo)?$',
    message: 'This is not the ARN of a topic, such as arn:aws:sns:eu-west-1:123456789012:lora.',
  }),
});
export type AWSSNSIntegration = ValueOf<typeof AWSSNSIntegration>;

export const awsSNS = kindOf({
  kind: 'AWS_SNS',
  path: 'aws-sns',
  rpc: 'AWSSNS',
  label: 'AWS SNS',
  sentence: 'Publishes events to a topic of the AWS Simple Notification Service.',
  config: AWSSNSIntegration,
  problemsOf({ region, topicARN }) {
    const [, , , regionOfTopic] = topicARN.split(':');
    if (regionOfTopic === region) return [];
    return [{ field: 'topicARN', description: `The topic is in ${regionOfTopic}, not in ${region}.` }];
  },
});
