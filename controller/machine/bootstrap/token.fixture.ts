import { at } from '../../../test/fixtures/objects.ts';

/** What a token is made of that expires 20 minutes after the Machine was made. */
export const TOKEN_PARTS = {
  id: 'abcdef',
  secret: '0123456789abcdef',
  expiration: at(1_200),
  extraGroups: [],
  signing: false,
  incarnation: 'here',
};
