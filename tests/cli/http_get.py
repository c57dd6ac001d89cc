"""Gets a page: http_get.py [--user NAME:PASSWORD] [--trust FILE] [--gzip] URL

Prints the status, and below it the value of Content-Encoding and the body, not compressed.
"""
import argparse
import base64
import gzip
import ssl
import urllib.error
import urllib.request

parser = argparse.ArgumentParser()
parser.add_argument("--user")
parser.add_argument("--trust")
parser.add_argument("--gzip", action="store_true")
parser.add_argument("url")
given = parser.parse_args()

request = urllib.request.Request(given.url)
if given.user:
    request.add_header("Authorization", "Basic " + base64.b64encode(given.user.encode()).decode())
if given.gzip:
    request.add_header("Accept-Encoding", "gzip")
context = ssl.create_default_context(cafile=given.trust) if given.trust else None
try:
    answer = urllib.request.urlopen(request, timeout=20, context=context)
except urllib.error.HTTPError as error:
    answer = error
body = answer.read()
coding = answer.headers.get("Content-Encoding", "")
print(answer.status)
print(coding)
print((gzip.decompress(body) if coding == "gzip" else body).decode())
