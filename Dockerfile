# editgauge with what the tables of all four benchmarks need; no weights, no data.
# CPU:  docker build -t editgauge .
# CUDA: docker build -t editgauge-cuda --build-arg TORCH_INDEX=https://download.pytorch.org/whl/cu128 .
FROM python:3.12-slim
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
RUN useradd --create-home editgauge
COPY pyproject.toml README.md LICENSE /src/
COPY src /src/src
RUN pip install --no-cache-dir torch --index-url "$TORCH_INDEX" \
 && pip install --no-cache-dir "/src[texteditbench,textedit,medebench,krisbench,study,report,frames]" \
 && rm -rf /src
USER editgauge
WORKDIR /work
ENTRYPOINT ["editgauge"]
CMD ["--help"]
