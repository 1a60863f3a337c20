"""A bot without gRPC or the kit: it plays a match of Naga over HTTP/1.1 with JSON alone, through a gateway.

FUDABA_WEB=http://127.0.0.1:7712 FUDABA_TOKEN=... python json_bot.py
"""

import json
import os
from urllib.request import Request, urlopen

WEB, TOKEN = os.environ["FUDABA_WEB"], os.environ["FUDABA_TOKEN"]


def post(method, body, kind):
    headers = {"content-type": kind, "authorization": f"Bearer {TOKEN}"}
    return urlopen(Request(f"{WEB}/fudaba.v1.{method}", body, headers))


def call(method, **message):
    return json.load(post(method, json.dumps(message).encode(), "application/json"))


def watch(method, **message):
    body = json.dumps(message).encode()
    stream = post(method, b"\0" + len(body).to_bytes(4, "big") + body, "application/connect+json")
    while head := stream.read(5):  # each message has a byte of flags, four bytes of length, and JSON
        news = json.loads(stream.read(int.from_bytes(head[1:5], "big")))
        if head[0] == 0:
            yield news["update"]
        elif "error" in news:
            raise RuntimeError(news["error"])


match = call("MatchService/CreateMatch", game="naga", seats=[{"caller": {}}, {"houseBot": "house-random"}])["match"]
match_id = match["header"]["matchId"]
for update in watch("PlayService/WatchSeat", matchId=match_id):
    if decision := update.get("decision"):  # the first legal move will do
        call("PlayService/SubmitMove", answer={"matchId": match_id, "decisionId": decision["decisionId"], "index": 0})
    if over := update.get("over"):
        print(json.dumps(over))
