# A Jupyter that has the kernel, and the notebooks:
#
#	docker build -t overcomplete .
#	docker run --rm -p 127.0.0.1:8888:8888 overcomplete      # then open the address that it prints
#
# Jupyter is Debian's, in the version that the kernel is tried with (kernel/CLIENTS.md). CI does
# not build this file: what stands in it was tried by hand, command by command.
ARG GO=1.26

# The program, with the commit that it was built from.
FROM golang:${GO}-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=auto -o /overcomplete ./cmd/overcomplete

# For development (.devcontainer): Go, make and Jupyter, and whoever works there is not root.
FROM golang:${GO}-bookworm AS develop
RUN apt-get update -q \
 && apt-get install -qy --no-install-recommends jupyter-notebook jupyter-nbconvert python3-jupyter-kernel-test \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --uid 1000 --shell /bin/bash developer
USER developer

# To use.
FROM debian:bookworm-slim
RUN apt-get update -q \
 && apt-get install -qy --no-install-recommends ca-certificates jupyter-notebook \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /overcomplete /usr/local/bin/overcomplete
# Starts the kernel once: an image whose kernel does not answer is not made.
RUN overcomplete install --prefix /usr/local
# mybinder.org gives these two, and wants no root.
ARG NB_USER=reader
ARG NB_UID=1000
RUN useradd --create-home --uid ${NB_UID} --shell /bin/bash ${NB_USER}
WORKDIR /home/${NB_USER}/overcomplete
RUN chown ${NB_UID} .
# The source too: by it the program knows which results still hold, and to it the report leads.
COPY --from=build --chown=${NB_UID} /src/go.mod /src/go.sum /src/LICENSE /src/README.md ./
COPY --from=build --chown=${NB_UID} /src/cmd ./cmd
COPY --from=build --chown=${NB_UID} /src/data ./data
COPY --from=build --chown=${NB_UID} /src/kernel ./kernel
COPY --from=build --chown=${NB_UID} /src/kernel-helpers ./kernel-helpers
COPY --from=build --chown=${NB_UID} /src/paper ./paper
COPY --from=build --chown=${NB_UID} /src/figures ./figures
COPY --from=build --chown=${NB_UID} /src/notebooks ./notebooks
USER ${NB_USER}
EXPOSE 8888
CMD ["jupyter", "notebook", "--no-browser", "--ip=0.0.0.0", "--port=8888", "--notebook-dir=notebooks"]
