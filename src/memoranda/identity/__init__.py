"""Who somebody is: keys, tokens, and the secrets that sign them."""

from memoranda.identity.authenticating import authenticator as authenticator
