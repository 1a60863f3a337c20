"""Naga (ナーガ): two seats, seven places, nine table cards. Rules: `docs/rules/naga.md`."""
