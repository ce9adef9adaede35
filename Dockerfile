# dipverify in an image:
#
#   docker build --tag dipverify .
#   docker run --rm --volume "$PWD:/programs" dipverify my_mechanism.dip --eps 0.5 --delta 0.01
FROM python:3.11-slim

WORKDIR /dipverify
COPY . .
RUN ./scripts/verify

WORKDIR /programs
ENTRYPOINT ["/dipverify/scripts/verify"]
