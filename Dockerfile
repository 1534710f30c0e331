# A Jupyter that has the kernel, and the notebooks:
#
#	docker build -t overcomplete .
#	docker run --rm -p 127.0.0.1:8888:8888 overcomplete      # then open the address that it prints
#
# JupyterLab is PyPI's, in the versions that the tests use (internal/pyenv). CI does not build
# this image, and it has not been built yet: what it does was tried on Debian 12 without a
# container: the build, the environment of Python, install --prefix, a notebook.
ARG GO=1.26

# The program, with the commit that it was built from.
FROM golang:${GO}-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN go run ./kernel/internal/selfsource/pack && CGO_ENABLED=0 go build -trimpath -tags=packed -buildvcs=auto -o /overcomplete ./cmd/overcomplete

# JupyterLab and what it needs, for both of the next.
FROM debian:bookworm-slim AS jupyter
RUN apt-get update -q \
 && apt-get install -qy --no-install-recommends ca-certificates python3-venv
COPY internal/pyenv/frontends.txt /tmp/
RUN python3 -m venv /opt/jupyter \
 && /opt/jupyter/bin/pip install -q --no-cache-dir --only-binary :all: --require-hashes -r /tmp/frontends.txt

# For development (.devcontainer): Go, make and Jupyter, and whoever works there is not root.
FROM golang:${GO}-bookworm AS develop
RUN apt-get update -q \
 && apt-get install -qy --no-install-recommends python3 \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --uid 1000 --shell /bin/bash developer
COPY --from=jupyter /opt/jupyter /opt/jupyter
ENV PATH=/opt/jupyter/bin:$PATH
USER developer

# To use.
FROM debian:bookworm-slim
RUN apt-get update -q \
 && apt-get install -qy --no-install-recommends ca-certificates python3 \
 && rm -rf /var/lib/apt/lists/*
COPY --from=jupyter /opt/jupyter /opt/jupyter
ENV PATH=/opt/jupyter/bin:$PATH
COPY --from=build /overcomplete /usr/local/bin/overcomplete
# Starts the kernel once: an image whose kernel does not answer is not made.
RUN overcomplete install --prefix /opt/jupyter
# Not root: a cell can do what its user can. (mybinder.org uses .binder, and not this file.)
ARG NB_USER=reader
RUN useradd --create-home --uid 1000 --shell /bin/bash ${NB_USER}
WORKDIR /home/${NB_USER}/overcomplete
RUN chown 1000 .
# The source too: by it the program knows which results still hold, and to it the report leads.
COPY --from=build --chown=1000 /src/go.mod /src/go.sum /src/LICENSE /src/README.md ./
COPY --from=build --chown=1000 /src/cmd ./cmd
COPY --from=build --chown=1000 /src/data ./data
COPY --from=build --chown=1000 /src/docs ./docs
COPY --from=build --chown=1000 /src/internal ./internal
COPY --from=build --chown=1000 /src/kernel ./kernel
COPY --from=build --chown=1000 /src/kernel-helpers ./kernel-helpers
COPY --from=build --chown=1000 /src/paper ./paper
COPY --from=build --chown=1000 /src/suite ./suite
COPY --from=build --chown=1000 /src/ui ./ui
COPY --from=build --chown=1000 /src/figures ./figures
COPY --from=build --chown=1000 /src/notebooks ./notebooks
USER ${NB_USER}
EXPOSE 8888
CMD ["jupyter", "lab", "--no-browser", "--ip=0.0.0.0", "--port=8888", "--notebook-dir=notebooks"]
