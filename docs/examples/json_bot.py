"""A bot without gRPC or the kit: it plays a match of Naga over HTTP/1.1 with JSON alone, through a gateway.

FUDABA_WEB=http://127.0.0.1:7712 FUDABA_TOKEN=... python json_bot.py

It plays on through restarts of the service and of the gateway, and after a connection that passes nothing on any more.
"""

import json
import os
import secrets
import sys
import time
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, Request, build_opener, getproxies, proxy_bypass

WEB, TOKEN = os.environ["FUDABA_WEB"], os.environ["FUDABA_TOKEN"]
ANSWER_SECONDS = 5  # for what is answered at once
SILENCE_SECONDS = 18  # a gateway's stream says something every 15 seconds, be it a heartbeat
PAUSE_SECONDS = 0.5  # before something is tried again
LOST = {"unavailable", "unknown", "deadline_exceeded", "aborted", "resource_exhausted", "canceled", "internal"}
HOST, SCHEME = urlsplit(WEB).hostname or "", urlsplit(WEB).scheme
LOOPBACK = HOST in {"localhost", "::1"} or HOST.startswith("127.")
PROXY = "" if LOOPBACK or proxy_bypass(HOST) else getproxies().get(SCHEME, "")  # none leads to this machine
OPENER = build_opener(ProxyHandler({SCHEME: PROXY} if PROXY else {}))
said = set()


def pause(error):
    """Says why nobody answers, each reason once, and waits before the next attempt."""
    through = f" through the proxy {PROXY.rpartition('://')[2].rpartition('@')[2]}" if PROXY else ""
    reason = f"{HOST} does not answer{through}: {error}; trying again"
    if reason not in said:
        said.add(reason)
        print(reason, file=sys.stderr, flush=True)
    time.sleep(PAUSE_SECONDS)


def post(method, body, kind, seconds):
    headers = {"content-type": kind, "authorization": f"Bearer {TOKEN}"}
    return OPENER.open(Request(f"{WEB}/fudaba.v1.{method}", body, headers), timeout=seconds)


def call(method, **message):
    """Calls until there is an answer: every call of this bot may be repeated, by its ids. Returns refusals, too."""
    while True:
        try:
            with post(method, json.dumps(message).encode(), "application/json", ANSWER_SECONDS) as answer:
                return json.load(answer)
        except HTTPError as error:
            if error.code < 500 and error.code != 429:  # refused: the same call would be refused again
                return json.load(error)
            pause(error)
        except (OSError, HTTPException) as error:  # nobody answers, or not in time
            pause(error)


def watch(match_id):
    """The updates of the bot's seat until the match is over, on as many streams as it takes."""
    place = {}
    while True:
        try:
            body = json.dumps({"matchId": match_id} | place).encode()
            envelope = b"\0" + len(body).to_bytes(4, "big") + body
            with post("PlayService/WatchSeat", envelope, "application/connect+json", SILENCE_SECONDS) as stream:
                while head := stream.read(5):  # each message has a byte of flags, four bytes of length, and JSON
                    news = json.loads(stream.read(int.from_bytes(head[1:5], "big")))
                    if head[0] == 0:
                        place = {key: news["update"].get(key, 0) for key in ("seen", "history")}
                        yield news["update"]
                    elif "error" not in news:
                        return
                    elif news["error"]["code"] not in LOST:
                        raise RuntimeError(news["error"])
            pause("the stream ended")
        except (OSError, HTTPException, ValueError) as error:  # it broke, or has been silent for too long
            pause(error)


bot = call("AccountService/WhoAmI")["token"]["bot"]
match_id = f"{bot}.{secrets.token_hex(8)}"  # of its own, so that the call can be repeated
made = call(
    "MatchService/CreateMatch", matchId=match_id, game="naga", seats=[{"caller": {}}, {"houseBot": "house-random"}]
)
if "match" not in made:
    raise RuntimeError(made)
for update in watch(match_id):
    if decision := update.get("decision"):  # the first legal move will do
        # A refusal changes nothing: the decision was closed meanwhile, and the stream tells what follows.
        call("PlayService/SubmitMove", answer={"matchId": match_id, "decisionId": decision["decisionId"], "index": 0})
    if over := update.get("over"):
        print(json.dumps(over))
